/**
 * Writes what keys were allowed to do and did as NDJSON: the events of accounts, keys, mandates and denials, in the
 * order of the log, ended by a line that says that it is the end. It can be verified anywhere, with no database.
 */
import { accountEvents } from '../../events/account-events.ts';
import type { RecordedEvent } from '../../events/event.ts';
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import { eventHash } from '../../events/hash-chain.ts';
import { keyEvents } from '../../events/key-events.ts';
import { denialEvents, mandateEvents } from '../../events/mandate-events.ts';
import { EXPORT_VERSION, type ExportBody, exportLine, type ExportScope, FIRST_PREV } from './export-line.ts';
import { inLogOrder } from './in-log-order.ts';
import { ofAccount } from './of-account.ts';
import { withoutClearText } from './without-clear-text.ts';
import { withoutSecretHashes } from './without-secret-hashes.ts';

const TYPES = [...accountEvents, ...keyEvents, ...mandateEvents, ...denialEvents].map(({ type }) => type);

/** The log holds an event that has no canonical text, and so no line; the message names it and says why. */
export class NotExportable extends Error {
  override readonly name = 'NotExportable';

  constructor({ streamId, revision, id }: RecordedEvent, cause: TypeError) {
    super(`${streamId}@${revision} (${id}) cannot be exported: ${cause.message}`, { cause });
  }
}

type Log = Pick<EventStore, 'read' | 'subscribe'>;

export interface ExportOptions {
  readonly exportedAt: string;
  /** Whether texts that releases before 0.2 wrote in clear stand in it: for their owner alone. */
  readonly withClearText: boolean;
}

/** Everything, or what belongs to one account. @throws {NotExportable | StoreUnavailable} */
export function exportLog(
  events: Pick<Log, 'subscribe'>,
  options: ExportOptions,
  accountId: string | null = null,
): AsyncIterable<string> {
  const whole = everything(events);
  if (accountId === null) return linesOf(whole, options, 'all');
  return linesOf(ofAccount(whole, accountId), options, { accountId });
}

/** One mandate with what it denied and the key that it is of. @throws {NotExportable | StoreUnavailable} */
export function exportMandate(
  events: Pick<Log, 'read'>,
  { mandateId, keyId }: { readonly mandateId: string; readonly keyId: string },
  options: ExportOptions,
): AsyncIterable<string> {
  const streams = [`mandate-${mandateId}`, `denials-${mandateId}`, `key-${keyId}`];
  return linesOf(inLogOrder(streams.map((stream) => events.read(stream))), options, { mandateId });
}

/** The lines in order, each with its line feed; everything that was committed when it began is in it. */
async function* linesOf(
  events: AsyncIterable<RecordedEvent>,
  { exportedAt, withClearText }: ExportOptions,
  of: ExportScope,
): AsyncIterable<string> {
  let n = 0;
  let prev = FIRST_PREV;
  const next = (body: ExportBody): string => {
    const { text, hash } = exportLine(n, prev, body);
    n += 1;
    prev = hash;
    return `${text}\n`;
  };

  yield next({ kind: 'begin', format: 'bourse-audit', version: EXPORT_VERSION, exportedAt, of });
  let count = 0;
  for await (const event of events) {
    yield eventLine(event, withClearText, next);
    count += 1;
  }
  yield next({ kind: 'end', events: count });
}

function eventLine(event: RecordedEvent, withClearText: boolean, next: (body: ExportBody) => string): string {
  try {
    const shown = withClearText ? null : withoutClearText(event);
    if (shown === null) return next({ kind: 'event', event: withoutSecretHashes(event) });
    return next({ kind: 'event', event: { ...event, ...shown }, hash: eventHash(event) });
  } catch (error) {
    throw error instanceof TypeError ? new NotExportable(event, error) : error;
  }
}

async function* everything(events: Pick<EventStore, 'subscribe'>): AsyncIterable<RecordedEvent> {
  const done = new AbortController();
  let isWhole = false;
  try {
    for await (const page of events.subscribe({ after: null, types: TYPES, signal: done.signal })) {
      yield* page.events;
      isWhole = page.caughtUp;
      if (isWhole) break;
    }
  } finally {
    done.abort();
  }
  if (!isWhole) throw new StoreUnavailable('the log was closed while it was exported');
}
