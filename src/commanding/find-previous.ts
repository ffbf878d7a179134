/** Whether a stream has answered a command before: what its memory says, made certain by the log. */
import type { EventStore } from '../../events/event-store.ts';
import type { CommandCall } from './command-call.ts';
import { assertUnchanged } from './unchanged.ts';
import type { StreamFold } from './stream-fold.ts';

/** Where the events of a command stand in its stream. */
export interface HandledCommand {
  readonly firstRevision: number;
  readonly lastRevision: number;
  readonly requestHash: string | undefined;
}

export const NO_PREVIOUS: ReadonlyMap<string, HandledCommand> = new Map();

/** Whether any of the calls is worth asking the log for. */
export function mayHavePrevious({ commands }: StreamFold<unknown>, calls: readonly CommandCall[]): boolean {
  return calls.some(({ commandId }) => commands.find(commandId) !== undefined);
}

/**
 * Those of the calls that the stream has answered as far as it remembers, by their ids.
 * @throws {StoreDamaged} what is there is not what was written
 */
export async function findPrevious(
  store: EventStore,
  streamId: string,
  { commands }: StreamFold<unknown>,
  calls: readonly CommandCall[],
): Promise<ReadonlyMap<string, HandledCommand>> {
  const previous = new Map<string, HandledCommand>();
  for (const call of calls) {
    const from = commands.find(call.commandId);
    const handled = from === undefined ? undefined : await readHandled(store, streamId, from, call);
    if (handled !== undefined) previous.set(call.commandId, handled);
  }
  return previous;
}

async function readHandled(
  store: EventStore,
  streamId: string,
  from: number,
  { commandId }: CommandCall,
): Promise<HandledCommand | undefined> {
  let handled: (HandledCommand & { readonly at: string }) | undefined;
  for await (const event of store.read(streamId, { from })) {
    // A command id that was changed is no reason to do again what was done.
    assertUnchanged(event, null);
    const { at, revision, meta } = event;
    // The next command; or at once another one, with the same fingerprint.
    if (meta.commandId !== commandId || (handled !== undefined && handled.at !== at)) break;
    handled = { firstRevision: from, lastRevision: revision, requestHash: meta.requestHash, at };
  }
  return handled;
}
