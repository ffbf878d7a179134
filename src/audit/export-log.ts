/**
 * Writes what keys were allowed to do and did as NDJSON: every event of keys, mandates and denials, in the order of the
 * log, ended by a line that says that it is the end. It can be verified anywhere, with no database.
 */
import { accountEvents } from '../../events/account-events.ts';
import type { RecordedEvent } from '../../events/event.ts';
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import { keyEvents } from '../../events/key-events.ts';
import { denialEvents, mandateEvents } from '../../events/mandate-events.ts';
import { EXPORT_VERSION, type ExportBody, exportLine, FIRST_PREV } from './export-line.ts';

const TYPES = [...accountEvents, ...keyEvents, ...mandateEvents, ...denialEvents].map(({ type }) => type);

/** The log holds an event that has no canonical text, and so no line; the message names it and says why. */
export class NotExportable extends Error {
  override readonly name = 'NotExportable';

  constructor({ streamId, revision, id }: RecordedEvent, cause: TypeError) {
    super(`${streamId}@${revision} (${id}) cannot be exported: ${cause.message}`, { cause });
  }
}

/** The lines in order, each with its line feed; everything that was committed when it began is in it. @throws {NotExportable | StoreUnavailable} */
export async function* exportLog(events: EventStore, exportedAt: string): AsyncIterable<string> {
  let n = 0;
  let prev = FIRST_PREV;
  let count = 0;
  const next = (body: ExportBody): string => {
    const { text, hash } = exportLine(n, prev, body);
    n += 1;
    prev = hash;
    return `${text}\n`;
  };

  const eventLine = (event: RecordedEvent): string => {
    try {
      return next({ kind: 'event', event });
    } catch (error) {
      throw error instanceof TypeError ? new NotExportable(event, error) : error;
    }
  };

  yield next({ kind: 'begin', format: 'bourse-audit', version: EXPORT_VERSION, exportedAt });
  const done = new AbortController();
  let isWhole = false;
  try {
    for await (const page of events.subscribe({ after: null, types: TYPES, signal: done.signal })) {
      for (const event of page.events) {
        yield eventLine(event);
        count += 1;
      }
      isWhole = page.caughtUp;
      if (isWhole) break;
    }
  } finally {
    done.abort();
  }
  if (!isWhole) throw new StoreUnavailable('the log was closed while it was exported');
  yield next({ kind: 'end', events: count });
}
