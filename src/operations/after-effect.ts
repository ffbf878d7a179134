/** One wish, two streams: what a failure between the two means to whoever wished. */
import { OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';
import { AccountKeysUnavailable } from '../ports/account-keys.ts';
import { Contended, Overloaded } from '../commanding/command-call.ts';

const NOTHING_DONE = [StoreUnavailable, AccountKeysUnavailable, Overloaded, Contended];

/**
 * What follows from an effect that stands. Where the log does not take it now, a reaction brings it about later; the
 * caller must not hear that nothing was done, and spend once more.
 * @throws {OutcomeUnknown} in place of those errors that say that nothing was done
 */
export async function afterEffect<T>(following: Promise<T>): Promise<T> {
  try {
    return await following;
  } catch (error) {
    if (!NOTHING_DONE.some((kind) => error instanceof kind)) throw error;
    throw new OutcomeUnknown('the first half is done, the second is still to come', { cause: error });
  }
}
