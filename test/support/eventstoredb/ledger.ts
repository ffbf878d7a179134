/**
 * What an EventStoreDB has on disk, in memory: streams, the one log over them, and the writer's memory of event ids.
 * It outlives a double, so that a double stopped and started on the same ledger is a server that was restarted.
 *
 * Positions are bytes into the log, as in the server's second log format: they grow with gaps, and commit and prepare
 * are equal, because an append over gRPC is one implicit transaction whose records are each a commit of their own.
 */
import { randomUUID } from 'node:crypto';
import { METASTREAM_PREFIX, originalOf } from './stream-names.ts';

/** The revision the server gives the record that ends a tombstoned stream. */
const TOMBSTONE_REVISION = 9_223_372_036_854_775_807n;

/** What a record costs on disk besides its texts: framing, header, ids, stamps. Only the gaps matter to a client. */
const RECORD_OVERHEAD_BYTES = 103;

export interface ProposedEvent {
  /** A UUID in lower case. */
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface StoredEvent extends ProposedEvent {
  readonly stream: string;
  readonly revision: bigint;
  /** Commit and prepare position alike. */
  readonly position: bigint;
  /** Where the next record begins. */
  readonly nextPosition: bigint;
  readonly created: Date;
}

/** What one write adds to the log: its events, or, of an append without events, a record that no reader sees. */
export interface Write {
  readonly stream: string;
  readonly events: readonly ProposedEvent[];
  readonly isTombstone: boolean;
  readonly created: Date;
}

export interface Ledger {
  /** What readers see, in commit order. */
  readonly log: readonly StoredEvent[];
  /** Where the next record will begin: the server's writer checkpoint. */
  readonly end: () => bigint;
  /** The position of the last event, -1n in an empty log: what the server calls the last indexed position. */
  readonly lastPosition: () => bigint;
  /** Whether the record of an append without events begins there. */
  readonly isBlankAt: (position: bigint) => boolean;
  readonly stream: (name: string) => readonly StoredEvent[];
  /** The stream as the writer sees it: with what is not replicated yet. */
  readonly written: (name: string) => readonly StoredEvent[];
  /** A metastream ends with its stream. */
  readonly isTombstoned: (name: string) => boolean;
  /** Where the stream stands in the writer's eyes, -1n when there is none; truncation does not change it. */
  readonly headOf: (name: string) => bigint;
  /** What the writer remembers of an id: the last place it was written to. A restart forgets it. */
  readonly remembered: (id: string) => StoredEvent | undefined;
  readonly forgetIds: () => void;
  /** Stores at the stream's end, unconditionally; returns what was stored. */
  readonly store: (stream: string, events: readonly ProposedEvent[]) => readonly StoredEvent[];
  /** Writes the record of an append without events; returns its position. */
  readonly storeNothing: (stream: string) => bigint;
  readonly tombstone: (stream: string) => StoredEvent;
  /** Calls `listener` for each event in commit order, in the same turn as its commit; returns how to stop. */
  readonly onCommit: (listener: (event: StoredEvent) => void) => () => void;
  /** How many wait for commits. */
  readonly listeners: () => number;
  readonly replication: Replication;
}

/** Whether a majority has what the leader has written. Until then readers do not see it and nobody is answered. */
export interface Replication {
  /** From now on nothing that is written is replicated. */
  readonly hold: () => void;
  /** Replicates what was held back, and what comes. */
  readonly resume: () => void;
  /** Forgets what was held back, as a new leader does that never got it, and holds nothing back any more. */
  readonly lose: () => void;
  /** Whether the event that stands there is held back. */
  readonly isHeld: (position: bigint) => boolean;
  /** Calls `task` when what is held back is replicated; never when it is lost. */
  readonly whenDone: (task: () => void) => void;
}

export interface LedgerOptions {
  /** Where the log begins; something beyond 2^53 shows an adapter that makes numbers of positions. */
  readonly firstPosition?: bigint;
  /** What the log holds already; a fresh one holds what a server's first leader notes. */
  readonly writes?: readonly Write[];
  /** Called before a write is acknowledged or seen. */
  readonly keep?: (write: Write) => void;
}

interface HeldWrite {
  readonly write: Write;
  readonly events: readonly StoredEvent[];
}

export function createLedger({ firstPosition = 0n, writes, keep = () => {} }: LedgerOptions = {}): Ledger {
  const log: StoredEvent[] = [];
  const streams = new Map<string, StoredEvent[]>();
  const blanks = new Set<bigint>();
  const ids = new Map<string, StoredEvent>();
  const listeners = new Set<(event: StoredEvent) => void>();
  let held: HeldWrite[] | null = null;
  let waiting: (() => void)[] = [];
  let end = firstPosition;

  const heldEvents = (): readonly StoredEvent[] => held?.flatMap(({ events }) => events) ?? [];
  const heldOf = (name: string): readonly StoredEvent[] =>
    heldEvents().filter(({ stream }) => stream === name);
  const headOf = (name: string): bigint =>
    (heldOf(name).at(-1) ?? streams.get(name)?.at(-1))?.revision ?? -1n;

  const publish = (events: readonly StoredEvent[]): void => {
    for (const event of events) {
      const stream = streams.get(event.stream);
      if (stream === undefined) streams.set(event.stream, [event]);
      else stream.push(event);
      log.push(event);
    }
    for (const event of events) for (const listener of listeners) listener(event);
  };
  /** Gives what is written its places. */
  const place = ({ stream, events, isTombstone, created }: Write): readonly StoredEvent[] => {
    if (events.length === 0) {
      blanks.add(end);
      end += BigInt(RECORD_OVERHEAD_BYTES + stream.length);
      return [];
    }
    const first = headOf(stream) + 1n;
    const stored = events.map((proposed, index): StoredEvent => {
      const position = end;
      end += sizeOnDisk(stream, proposed);
      const revision = isTombstone ? TOMBSTONE_REVISION : first + BigInt(index);
      return { ...proposed, stream, revision, position, nextPosition: end, created };
    });
    for (const event of stored) ids.set(event.id, event);
    return stored;
  };
  const make = (
    stream: string,
    events: readonly ProposedEvent[],
    isTombstone = false,
  ): readonly StoredEvent[] => {
    const write = { stream, events, isTombstone, created: new Date() };
    if (held === null) keep(write);
    const stored = place(write);
    if (held === null) publish(stored);
    else held.push({ write, events: stored });
    return stored;
  };

  for (const write of writes ?? []) publish(place(write));
  const ledger: Ledger = {
    log,
    end: () => end,
    lastPosition: () => log.at(-1)?.position ?? -1n,
    isBlankAt: (position) => blanks.has(position),
    stream: (name) => streams.get(name) ?? [],
    written: (name) => [...(streams.get(name) ?? []), ...heldOf(name)],
    isTombstoned: (name) =>
      [name, originalOf(name) ?? name].some((ended) => headOf(ended) === TOMBSTONE_REVISION),
    headOf,
    remembered: (id) => ids.get(id),
    forgetIds: () => ids.clear(),
    store: (stream, events) => (events.length === 0 ? [] : make(stream, events)),
    storeNothing(stream) {
      const position = end;
      make(stream, []);
      return position;
    },
    tombstone(stream) {
      const [stored] = make(stream, [tombstoneEvent()], true);
      if (stored === undefined) throw new Error('a tombstone is one event');
      return stored;
    },
    onCommit(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    listeners: () => listeners.size,
    replication: {
      hold: () => void (held ??= []),
      resume() {
        const [writtenMeanwhile, tasks] = [held ?? [], waiting];
        held = null;
        waiting = [];
        for (const { write, events } of writtenMeanwhile) {
          keep(write);
          publish(events);
        }
        for (const task of tasks) task();
      },
      lose() {
        const lost = heldEvents();
        for (const { id } of lost) ids.delete(id);
        end = lost[0]?.position ?? end;
        held = null;
        waiting = [];
      },
      isHeld: (position) => heldEvents().some((event) => event.position === position),
      whenDone: (task) => void waiting.push(task),
    },
  };
  if (writes === undefined) beginAsServersDo(ledger);
  return ledger;
}

/** A server never begins with an empty log: its first leader notes its epoch, and who may see the scavenges. */
function beginAsServersDo(ledger: Ledger): void {
  ledger.store('$epoch-information', [systemEvent('$epoch-information', { epochNumber: 0 })]);
  ledger.store(`${METASTREAM_PREFIX}$scavenges`, [systemEvent('$metadata', { $acl: { $r: ['$ops'] } })]);
}

/** An event such as the server writes of its own accord. */
export function systemEvent(type: string, data: object): ProposedEvent {
  return {
    id: randomUUID(),
    type,
    isJson: true,
    data: Buffer.from(JSON.stringify(data)),
    metadata: new Uint8Array(),
  };
}

function tombstoneEvent(): ProposedEvent {
  return { ...systemEvent('$streamDeleted', {}), isJson: false, data: new Uint8Array() };
}

function sizeOnDisk(stream: string, { type, data, metadata }: ProposedEvent): bigint {
  return BigInt(RECORD_OVERHEAD_BYTES + stream.length + type.length + data.length + metadata.length);
}
