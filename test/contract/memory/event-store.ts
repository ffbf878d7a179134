/** The log in memory, for tests and trials: every promise of the port, save that nothing outlives the process. */
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { assertAppendable, assertNotTooLarge, weigh } from '../../../events/appendable.ts';
import type { NewEvent, PlacedEvent, RecordedEvent } from '../../../events/event.ts';
import {
  type Append,
  type AppendResult,
  type EventPage,
  type EventStore,
  type ReadOptions,
  type DependentsResult,
  StoreUnavailable,
  type SubscribeOptions,
} from '../../../events/event-store.ts';
import type { LogMarks } from '../../../events/log-mark.ts';

const DEFAULT_PAGE_EVENTS = 500;
const POSITION_DIGITS = 16;

/** Kept as JSON text, as a database would: what callers do to their objects later changes nothing here. */
interface Kept {
  readonly id: string;
  readonly type: string;
  /** From 1: its place in the log. */
  readonly row: number;
  readonly json: string;
}

interface Log {
  readonly rows: Kept[];
  readonly streams: Map<string, Kept[]>;
  readonly ids: Set<string>;
  /** Readers that wait for the next append. */
  readonly waiting: Set<() => void>;
  isClosed: boolean;
}

export function memoryEventStore(): EventStore {
  const log: Log = { rows: [], streams: new Map(), ids: new Set(), waiting: new Set(), isClosed: false };
  return {
    async append(streamId, expectedRevision, events) {
      const { first } = appendAll(log, { streamId, expectedRevision, events }, []);
      return first;
    },
    appendAll: async (first, dependents) => appendAll(log, first, dependents),
    read: (streamId, options = {}) => read(log, streamId, options),
    subscribe: (options) => subscribe(log, options),
    head: async () => (log.rows.length === 0 ? null : toPosition(log.rows.length)),
    knows: isPosition,
    marks: marksOf(log),
    close: async () => {
      log.isClosed = true;
      wakeReaders(log);
    },
  };
}

function marksOf({ rows }: Log): LogMarks {
  let logId: string = randomUUID();
  return {
    logId: () => logId,
    async at(position) {
      const row = Math.min(Number(position), rows.length);
      const kept = rows[row - 1];
      if (kept === undefined) return null;
      const { id, at } = toEvent(kept);
      return { logId, position: toPosition(row), eventId: id, at, digest: null };
    },
    eventIdAt: async (position) => rows[Number(position) - 1]?.id ?? null,
    digestAt: async () => null,
    countBetween: (after, upTo) => Number(upTo) - Number(after ?? 0),
    adopt: async (other) => {
      logId = other;
    },
  };
}

function appendAll(log: Log, first: Append, dependents: readonly Append[]): DependentsResult {
  const all = [first, ...dependents];
  all.forEach(assertSound);
  if (log.isClosed) throw new StoreUnavailable('the log is closed');
  const isNext = ({ streamId, expectedRevision }: Append): boolean =>
    headOf(log, streamId) === expectedRevision;
  assertNewIds(
    log,
    all.filter(isNext).flatMap(({ events }) => events),
  );
  const result = append(log, first);
  return { first: result, dependents: dependents.map((dependent) => result.ok && append(log, dependent).ok) };
}

function headOf(log: Log, streamId: string): number {
  return (log.streams.get(streamId)?.length ?? 0) - 1;
}

function assertSound({ expectedRevision, events }: Append): void {
  assertAppendable(expectedRevision, events);
  assertNotTooLarge(events.reduce((sum, { data, meta }) => sum + weighed(data, meta), 0));
}

function append(log: Log, { streamId, expectedRevision: expected, events }: Append): AppendResult {
  const stream = log.streams.get(streamId) ?? [];
  const head = stream.length - 1;
  if (expected > head) return { ok: false, actualRevision: head };
  if (expected < head) return repeated(stream, expected, events) ?? { ok: false, actualRevision: head };

  const kept = events.map((event, i) => keep(event, streamId, stream.length + i, log.rows.length + i + 1));
  for (const { id } of kept) log.ids.add(id);
  stream.push(...kept);
  log.rows.push(...kept);
  log.streams.set(streamId, stream);
  wakeReaders(log);
  return { ok: true, revision: stream.length - 1, position: toPosition(log.rows.length) };
}

function weighed(data: object, meta: object): number {
  return weigh(JSON.stringify(data), JSON.stringify(meta));
}

/** The first outcome again, if just these events were written just there. */
function repeated(
  stream: readonly Kept[],
  expected: number,
  events: readonly NewEvent[],
): AppendResult | undefined {
  const written = stream.slice(expected + 1, expected + 1 + events.length);
  const last = written.at(-1);
  if (last === undefined || !events.every((event, i) => event.id === written[i]?.id)) return undefined;
  return { ok: true, revision: expected + events.length, position: toPosition(last.row) };
}

function assertNewIds(log: Log, events: readonly NewEvent[]): void {
  const ids = new Set(events.map((event) => event.id));
  if (ids.size < events.length) throw new Error('an append has the same event id twice');
  for (const id of ids) if (log.ids.has(id)) throw new Error(`event ${id} is already elsewhere in the log`);
}

async function* read(
  log: Log,
  streamId: string,
  { direction = 'forwards', from }: ReadOptions,
): AsyncGenerator<RecordedEvent, void> {
  const stream = log.streams.get(streamId) ?? [];
  const step = direction === 'forwards' ? 1 : -1;
  let revision = direction === 'forwards' ? (from ?? 0) : Math.min(from ?? Infinity, stream.length - 1);
  for (let kept = stream[revision]; kept !== undefined; kept = stream[(revision += step)])
    yield toEvent(kept);
}

async function* subscribe(
  log: Log,
  { after, types, pageSize = DEFAULT_PAGE_EVENTS, signal }: SubscribeOptions,
): AsyncGenerator<EventPage, void> {
  let row = after === null ? 0 : Number(after);
  if (after !== null && (!isPosition(after) || row > log.rows.length))
    throw new RangeError(`${after} is not a position of this log`);

  for (let isFirst = true; !signal.aborted && !log.isClosed; isFirst = false) {
    if (row === log.rows.length && !isFirst) {
      await nextAppend(log, signal);
      continue;
    }
    const page = log.rows.slice(row, row + pageSize);
    row += page.length;
    const wanted = page.filter((kept) => types === undefined || types.includes(kept.type));
    const chars = wanted.reduce((sum, { json }) => sum + json.length, 0);
    const position = toPosition(row);
    yield { events: wanted.map(toEvent), chars, position, caughtUp: row === log.rows.length };
    if (row < log.rows.length) await nextTurn();
  }
}

function nextAppend(log: Log, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      log.waiting.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    log.waiting.add(wake);
    signal.addEventListener('abort', wake);
  });
}

function wakeReaders(log: Log): void {
  for (const wake of log.waiting) wake();
}

function keep(event: NewEvent, streamId: string, revision: number, row: number): Kept {
  const { id, type, version, at, data, meta } = event;
  const placed: PlacedEvent = { id, type, version, at, data, meta, streamId, revision };
  return { id, type, row, json: JSON.stringify(placed) };
}

/** The text was made by keep(), from an event of this type. */
function toEvent({ json, row }: Kept): RecordedEvent {
  return { ...(JSON.parse(json) as PlacedEvent), position: toPosition(row) };
}

function isPosition(text: string): boolean {
  return text.length === POSITION_DIGITS && /^\d+$/.test(text);
}

function toPosition(row: number): string {
  return String(row).padStart(POSITION_DIGITS, '0');
}
