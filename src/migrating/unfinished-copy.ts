/**
 * A log that is being filled looks like one that is whole, and a service on it would not know of what was spent in the
 * rest. So a copy says of itself that it is unfinished, until all of it has been compared.
 */
import type { Checkpoints } from '../../events/checkpoints.ts';
import { StoreUnavailable } from '../../events/event-store.ts';

/** Kept beside the checkpoints of the reactions, none of which is called so. */
const NAME = 'migration';
const UNFINISHED = 'unfinished';
const FINISHED = 'finished';

export function markUnfinished(checkpoints: Checkpoints): Promise<void> {
  return checkpoints.set(NAME, UNFINISHED);
}

export async function markFinished(checkpoints: Checkpoints): Promise<void> {
  if ((await checkpoints.get(NAME)) === UNFINISHED) await checkpoints.set(NAME, FINISHED);
}

/** @throws {StoreUnavailable} the log is a copy that was broken off */
export async function assertFinished(checkpoints: Checkpoints): Promise<void> {
  if ((await checkpoints.get(NAME)) === UNFINISHED)
    throw new StoreUnavailable(
      'the log is a copy that is not finished: let `bourse migrate` end, or start it again with the same places',
    );
}
