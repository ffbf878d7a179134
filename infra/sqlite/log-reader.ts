/** Reads the log in bounded pages, each finished before anything is awaited, so that no reader pins the WAL. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import type { EventMeta, RecordedEvent } from '../../events/event.ts';
import {
  type EventPage,
  type ReadOptions,
  StoreDamaged,
  StoreUnavailable,
} from '../../events/event-store.ts';
import type { EventRow } from './log-messages.ts';
import { toPosition } from './log-position.ts';
import { isSqliteError } from './sqlite-error.ts';
import { isDamage, whyOf } from './why.ts';

/** The first page is small, since most readers want the head or a short stream; the following ones double. */
const FIRST_PAGE_EVENTS = 8;
const MAX_PAGE_EVENTS = 512;
/** Of JSON, about: it takes some milliseconds to parse, and several times the room. */
const MAX_PAGE_CHARS = 1_000_000;

type Row = readonly [...EventRow, streamId: string, revision: number, position: number];
const COLUMNS = 'event_id, type, version, at, data, meta, stream_id, revision, position';

/** Events, and how long their JSON is. */
export type SomeEvents = Pick<EventPage, 'events' | 'chars'>;

export interface LogReader {
  read(streamId: string, options: ReadOptions): AsyncGenerator<RecordedEvent, void>;
  /** Up to `limit` events with `after < position <= upTo`, in commit order, of these types or of all. */
  page(after: number, upTo: number, limit: number, types?: readonly string[]): SomeEvents;
  /** The position of the last event; 0 in an empty log. */
  head(): number;
}

/** @throws {StoreDamaged} there is no such table */
export function logReader(db: Database): LogReader {
  return reached(db, 'the table of events', () => readerOf(db));
}

function readerOf(db: Database): LogReader {
  const forwards = rows<[string, number, number]>(
    db,
    'WHERE stream_id = ? AND revision >= ? ORDER BY revision LIMIT ?',
  );
  const backwards = rows<[string, number, number]>(
    db,
    'WHERE stream_id = ? AND revision <= ? ORDER BY revision DESC LIMIT ?',
  );
  const all = rows<[number, number, number]>(
    db,
    'WHERE position > ? AND position <= ? ORDER BY position LIMIT ?',
  );
  const ofTypes = rows<[number, number, string, number]>(
    db,
    'WHERE position > ? AND position <= ? AND type IN (SELECT value FROM json_each(?)) ORDER BY position LIMIT ?',
  );
  const head = db.prepare<[], number>('SELECT position FROM events ORDER BY position DESC LIMIT 1').pluck();

  return {
    async *read(streamId, { direction = 'forwards', from }) {
      const [statement, step] = direction === 'forwards' ? [forwards, 1] : [backwards, -1];
      let next = from ?? (direction === 'forwards' ? 0 : Number.MAX_SAFE_INTEGER);
      for (let limit = FIRST_PAGE_EVENTS; ;) {
        const { page, chars } = reached(db, streamId, () =>
          // To ask for each row by itself costs a short read a fifth more.
          someOf(statement[limit > FIRST_PAGE_EVENTS ? 'iterate' : 'all'](streamId, next, limit)),
        );
        for (const row of page) yield toEvent(row);
        const last = page.at(-1);
        if (last === undefined || (page.length < limit && chars < MAX_PAGE_CHARS)) return;
        next = last[7] + step;
        const following = limitAfter(limit, chars, MAX_PAGE_EVENTS);
        // A long replay must not keep everything else waiting.
        if (following <= limit) await nextTurn();
        limit = following;
      }
    },

    page(after, upTo, limit, types) {
      const page = reached(db, `what follows ${toPosition(after)}`, () =>
        types === undefined
          ? all.all(after, upTo, limit)
          : ofTypes.all(after, upTo, JSON.stringify(types), limit),
      );
      return { events: page.map(toEvent), chars: charsOf(page) };
    },

    head: () => reached(db, 'the end of the log', () => head.get()) ?? 0,
  };
}

/** How many events the next page is to have: fewer where they are long. */
export function limitAfter(limit: number, chars: number, maxEvents: number): number {
  if (chars > MAX_PAGE_CHARS) return Math.max(1, Math.floor(limit / 2));
  return chars < MAX_PAGE_CHARS / 4 ? Math.min(limit * 2, maxEvents) : limit;
}

/** Rows until they are as long as a page may be: events may be longer than those before them by far. */
function someOf(rows: Iterable<Row>): { readonly page: readonly Row[]; readonly chars: number } {
  const page: Row[] = [];
  let chars = 0;
  for (const row of rows) {
    page.push(row);
    chars += charsIn(row);
    if (chars >= MAX_PAGE_CHARS) break;
  }
  return { page, chars };
}

function charsOf(page: readonly Row[]): number {
  return page.reduce((sum, row) => sum + charsIn(row), 0);
}

function charsIn([, , , , data, meta]: Row): number {
  return data.length + meta.length;
}

function rows<Parameters extends unknown[]>(db: Database, where: string) {
  return db.prepare<Parameters, Row>(`SELECT ${COLUMNS} FROM events ${where}`).raw();
}

/** @throws {StoreDamaged | StoreUnavailable} `what` cannot be read; the message says why */
export function reached<T>(db: Database, what: string, read: () => T): T {
  if (!db.open) throw new StoreUnavailable('the log is closed');
  try {
    return read();
  } catch (error) {
    if (isDamage(error))
      throw new StoreDamaged(`${what} cannot be read: ${whyOf(error)}`, null, { cause: error });
    if (isSqliteError(error))
      throw new StoreUnavailable(`the log cannot be read: ${whyOf(error)}`, { cause: error });
    throw error;
  }
}

/** Only this adapter writes these columns, from a NewEvent; what the data mean is for the catalogue to parse. */
function toEvent([id, type, version, at, data, meta, streamId, revision, position]: Row): RecordedEvent {
  const place = { streamId, revision, position: toPosition(position) };
  try {
    return {
      id,
      type,
      version,
      at,
      data: JSON.parse(data) as object,
      meta: JSON.parse(meta) as EventMeta,
      ...place,
    };
  } catch (error) {
    throw new StoreDamaged(
      `the event at ${place.position} (${streamId}@${revision}) is damaged: its data are no JSON; see \`bourse log check\``,
      place.position,
      { cause: error },
    );
  }
}
