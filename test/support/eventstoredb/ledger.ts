/**
 * What an EventStoreDB has on disk, in memory: streams, the one log over them, and the writer's memory of event ids.
 * It outlives a double, so that a double stopped and started on the same ledger is a server that was restarted.
 *
 * Positions are bytes into the log, as in the server's second log format: they grow with gaps, and commit and prepare
 * are equal, because an append over gRPC is one implicit transaction whose records are each a commit of their own.
 */
import { randomUUID } from 'node:crypto';

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

export interface Ledger {
  /** In commit order. */
  readonly log: readonly StoredEvent[];
  /** Where the next record will begin: the server's writer checkpoint. */
  readonly end: () => bigint;
  /** The position of the last event, -1n in an empty log: what the server calls the last indexed position. */
  readonly lastPosition: () => bigint;
  readonly stream: (name: string) => readonly StoredEvent[];
  readonly isTombstoned: (name: string) => boolean;
  /** Where the stream stands in the writer's eyes, -1n when there is none; truncation does not change it. */
  readonly headOf: (name: string) => bigint;
  /** What the writer remembers of an id: the last place it was written to. A restart forgets it. */
  readonly remembered: (id: string) => StoredEvent | undefined;
  readonly forgetIds: () => void;
  /** Stores at the stream's end, unconditionally; returns what was stored. */
  readonly store: (stream: string, events: readonly ProposedEvent[]) => readonly StoredEvent[];
  readonly tombstone: (stream: string) => StoredEvent;
  /** Calls `listener` for each event in commit order, in the same turn as its commit; returns how to stop. */
  readonly onCommit: (listener: (event: StoredEvent) => void) => () => void;
  /** How many wait for commits. */
  readonly listeners: () => number;
}

export interface LedgerOptions {
  /** Where the log begins; something beyond 2^53 shows an adapter that makes numbers of positions. */
  readonly firstPosition?: bigint;
}

export function createLedger({ firstPosition = 0n }: LedgerOptions = {}): Ledger {
  const log: StoredEvent[] = [];
  const streams = new Map<string, StoredEvent[]>();
  const ids = new Map<string, StoredEvent>();
  const listeners = new Set<(event: StoredEvent) => void>();
  let end = firstPosition;

  const commit = (stream: string, proposed: ProposedEvent, revision: bigint): StoredEvent => {
    const nextPosition = end + sizeOnDisk(stream, proposed);
    const event: StoredEvent = {
      ...proposed,
      stream,
      revision,
      position: end,
      nextPosition,
      created: new Date(),
    };
    end = nextPosition;
    const events = streams.get(stream);
    if (events === undefined) streams.set(stream, [event]);
    else events.push(event);
    log.push(event);
    ids.set(event.id, event);
    return event;
  };
  const announce = (events: readonly StoredEvent[]): void => {
    for (const event of events) for (const listener of listeners) listener(event);
  };
  const headOf = (name: string): bigint => streams.get(name)?.at(-1)?.revision ?? -1n;

  const ledger: Ledger = {
    log,
    end: () => end,
    lastPosition: () => log.at(-1)?.position ?? -1n,
    stream: (name) => streams.get(name) ?? [],
    isTombstoned: (name) => headOf(name) === TOMBSTONE_REVISION,
    headOf,
    remembered: (id) => ids.get(id),
    forgetIds: () => ids.clear(),
    store(stream, events) {
      const first = headOf(stream) + 1n;
      const stored = events.map((event, i) => commit(stream, event, first + BigInt(i)));
      announce(stored);
      return stored;
    },
    tombstone(stream) {
      const stored = commit(stream, systemEvent('$streamDeleted', {}), TOMBSTONE_REVISION);
      announce([stored]);
      return stored;
    },
    onCommit(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    listeners: () => listeners.size,
  };
  // A server never begins with an empty log: its first leader notes its epoch.
  ledger.store('$epoch-information', [systemEvent('$epoch-information', { epochNumber: 0 })]);
  return ledger;
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

function sizeOnDisk(stream: string, { type, data, metadata }: ProposedEvent): bigint {
  return BigInt(RECORD_OVERHEAD_BYTES + stream.length + type.length + data.length + metadata.length);
}
