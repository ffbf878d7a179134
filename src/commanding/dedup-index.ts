/**
 * Which commands a stream has answered, in as little memory as will do: of each command its fingerprint and where its
 * events begin. What they say is read from the log when the command comes again, which is rare and makes the answer certain.
 */
import type { PlacedEvent } from '../../events/event.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { CommandCall } from './command-call.ts';
import { assertUnchanged } from './unchanged.ts';

/** What the memory takes of an event. */
export type CommandTrace = Pick<PlacedEvent, 'revision' | 'at'> & {
  readonly meta: Pick<PlacedEvent['meta'], 'commandId'>;
};

/** Without the event around it, which may so be let go. */
export function commandTrace({ revision, at, meta: { commandId } }: CommandTrace): CommandTrace {
  return { revision, at, meta: { commandId } };
}

export interface DedupIndex {
  /** How many commands it holds. */
  readonly size: () => number;
  /** Every command from this revision on is in it. */
  readonly from: () => number;
  /** Where the events of the last command with this id begin, or of another with its fingerprint; undefined: nowhere. */
  readonly find: (commandId: string) => number | undefined;
  /** In the order of the stream. What is there already may come again. */
  readonly add: (event: CommandTrace) => void;
  /**
   * Forgets the hours that were over at that time (Unix milliseconds), but nothing from the revision `keepFrom` on, and
   * nothing that has been here for less than a day: a clock that is set forward makes nothing old.
   */
  readonly forget: (beforeMs: number, keepFrom: number) => void;
}

/** An hour in which there were commands. */
interface Hour {
  /** Such as `2026-11-27T12`. */
  readonly name: string;
  readonly firstAtMs: number;
  readonly firstRevision: number;
  /** When its first command came into this memory, by a clock that nobody sets. */
  readonly heldSinceMs: number;
}
const HOUR_NAME_LENGTH = 13;

/** A command id is remembered for a day, and an hour more for clocks that disagree. */
export const REMEMBERED_MS = 25 * 60 * 60 * 1_000;

/**
 * @param from the revision of the first event that will be added
 * @param steadyMs milliseconds by a clock that only runs
 */
export function createDedupIndex(from: number, steadyMs = (): number => performance.now()): DedupIndex {
  /** In the order of the stream. Numbers alone take a tenth of what texts and objects would. */
  const byFingerprint = new Map<number, number>();
  /** Those whose fingerprint was taken by another, or by an earlier command with the same id. */
  const byId = new Map<string, number>();
  const hours: Hour[] = [];
  let last: { readonly commandId: string; readonly at: string } | null = null;
  let remembersFrom = from;

  return {
    size: () => byFingerprint.size + byId.size,
    from: () => remembersFrom,
    find: (commandId) => byId.get(commandId) ?? byFingerprint.get(fingerprint(commandId)),
    add({ revision, at, meta: { commandId } }) {
      // One more event of the same command.
      if (last?.commandId === commandId && last.at === at) return;
      last = { commandId, at };
      const print = fingerprint(commandId);
      const taken = byFingerprint.get(print) ?? revision;
      if (taken === revision) byFingerprint.set(print, revision);
      else byId.set(commandId, revision);
      if (at.startsWith(hours.at(-1)?.name ?? ' ')) return;
      const name = at.slice(0, HOUR_NAME_LENGTH);
      hours.push({ name, firstAtMs: Date.parse(at), firstRevision: revision, heldSinceMs: steadyMs() });
    },
    forget(beforeMs, keepFrom) {
      // Asked for each batch, and nearly always for nothing.
      if ((hours[1]?.firstAtMs ?? Infinity) > beforeMs) return;
      const heldBeforeMs = steadyMs() - REMEMBERED_MS;
      const next = hours.findLast(
        ({ firstAtMs, firstRevision, heldSinceMs }) =>
          firstAtMs <= beforeMs && firstRevision <= keepFrom && heldSinceMs <= heldBeforeMs,
      );
      if (next === undefined || next === hours[0]) return;
      hours.splice(0, hours.indexOf(next));
      remembersFrom = next.firstRevision;
      for (const [print, revision] of byFingerprint) {
        if (revision >= remembersFrom) break;
        byFingerprint.delete(print);
      }
      for (const [commandId, revision] of byId) if (revision < remembersFrom) byId.delete(commandId);
    },
  };
}

/** FNV-1a in 31 bits, which an engine keeps without a box. Two of one stream seldom share one, and need not differ. */
function fingerprint(text: string): number {
  let print = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) print = Math.imul(print ^ text.charCodeAt(i), 0x01000193);
  return print >>> 1;
}

/** Where the events of a command stand in its stream. */
export interface HandledCommand {
  readonly firstRevision: number;
  readonly lastRevision: number;
  readonly requestHash: string | undefined;
}

export const NO_PREVIOUS: ReadonlyMap<string, HandledCommand> = new Map();

/** Whether any of the calls is worth asking the log for. */
export function mayHavePrevious(commands: DedupIndex, calls: readonly CommandCall[]): boolean {
  return calls.some(({ commandId }) => commands.find(commandId) !== undefined);
}

/**
 * Those of the calls that the stream has answered as far as it remembers, by their ids.
 * @throws {StoreDamaged} what is there is not what was written
 */
export async function findPrevious(
  store: EventStore,
  streamId: string,
  commands: DedupIndex,
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
