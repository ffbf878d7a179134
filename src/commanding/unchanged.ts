/**
 * Whether the events of a chained stream are what was written. Each is compared with the hash that its successor carries;
 * the last, which has none yet, with its own id. So whoever reads the end of a stream knows of all that they read.
 */
import { eventHashOrNull, keepsItsId } from '../../events/hash-chain.ts';
import type { RecordedEvent } from '../../events/event.ts';
import { StoreDamaged } from '../../events/event-store.ts';

/**
 * @param next the event after it, known to be what was written; null where there is none
 * @throws {StoreDamaged}
 */
export function assertUnchanged(event: RecordedEvent, next: RecordedEvent | null): void {
  const { streamId, revision, position } = event;
  if (next === null) {
    if (!keepsItsId(event)) throw changed(event);
    return;
  }
  if (revision !== next.revision - 1) throw missing(streamId, revision + 1, position);
  // Without a hash its id tells.
  const hash = eventHashOrNull(event);
  if (hash === null ? !keepsItsId(event) : hash !== next.meta.prev) throw changed(event);
}

/** Of a stream that is read on after an event with this hash. @throws {StoreDamaged} */
export function assertContinued(headHash: string, events: readonly RecordedEvent[]): void {
  for (const [index, event] of events.entries()) assertUnchanged(event, events[index + 1] ?? null);
  const [first] = events;
  if (first !== undefined && first.meta.prev !== headHash)
    throw damaged(
      `${nameOf(first)} was written after another event than the one that is known before it`,
      first.position,
    );
}

/** A stream begins with revision 0: nothing before this one was read, though something must be there. @throws {StoreDamaged} */
export function assertBeginning({ streamId, revision, position }: RecordedEvent): void {
  if (revision > 0) throw missing(streamId, revision - 1, position);
}

/** Whatever stream it is of: an event that names no command was changed. @throws {StoreDamaged} */
export function assertNamesCommand(event: RecordedEvent): void {
  if (typeof event.meta.commandId !== 'string') throw changed(event);
}

function changed(event: RecordedEvent): StoreDamaged {
  return damaged(`${nameOf(event)} is not what was written`, event.position);
}

function nameOf({ streamId, revision, position, id }: RecordedEvent): string {
  return `the event at ${position} (${streamId}@${revision}, ${id})`;
}

function missing(streamId: string, revision: number, position: string): StoreDamaged {
  return damaged(`${streamId} lacks its revision ${revision}`, position);
}

function damaged(what: string, position: string): StoreDamaged {
  return new StoreDamaged(`${what}; see \`bourse log check\``, position);
}
