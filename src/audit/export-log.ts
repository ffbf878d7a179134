/**
 * Writes what keys were allowed to do and did as NDJSON: every event of keys, mandates and denials, in the order of the
 * log, ended by a line that says that it is the end. It can be verified anywhere, with no database.
 */
import { accountEvents } from '../../events/account-events.ts';
import type { EventStore } from '../../events/event-store.ts';
import { keyEvents } from '../../events/key-events.ts';
import { denialEvents, mandateEvents } from '../../events/mandate-events.ts';
import { EXPORT_VERSION, type ExportBody, exportLine, FIRST_PREV } from './export-line.ts';

const TYPES = [...accountEvents, ...keyEvents, ...mandateEvents, ...denialEvents].map(({ type }) => type);

/** The lines in order, each with its line feed; everything that was committed when it began is in it. */
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

  yield next({ kind: 'begin', format: 'bourse-audit', version: EXPORT_VERSION, exportedAt });
  const done = new AbortController();
  try {
    for await (const page of events.subscribe({ after: null, types: TYPES, signal: done.signal })) {
      for (const event of page.events) {
        yield next({ kind: 'event', event });
        count += 1;
      }
      if (page.caughtUp) break;
    }
  } finally {
    done.abort();
  }
  yield next({ kind: 'end', events: count });
}
