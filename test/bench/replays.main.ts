/**
 * Reads a whole history once more. Arguments: what (rebuild, audit, raw), the data folder, a scratch folder, and the
 * mandate to audit. Answers each message with what it did.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { decodeEvent } from '../../events/catalog.ts';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { openSqliteViewStore } from '../../infra/sqlite/view-store.ts';
import { projections } from '../../projections/catalog.ts';
import { auditMandate } from '../../src/audit/audit-mandate.ts';
import { createProjector } from '../../src/projecting/projector.ts';
import { catchUpOnce } from '../support/catch-up-once.ts';
import { measureReplay } from './replaying.ts';

const [what, dataDir = '', scratch = '', mandateId = ''] = process.argv.slice(2);

const { store } = await openSqliteLog({ path: join(dataDir, 'bourse.db') });
const replay = what === 'rebuild' ? rebuild : what === 'audit' ? auditAll : readAll;

process.on('message', () => void measureReplay(replay).then((done) => process.send?.(done)));
process.send?.('ready');

/** Every view from nothing. */
async function rebuild(): Promise<number> {
  const views = openSqliteViewStore(join(scratch, `${randomUUID()}.db`));
  const parts = { store, views, projections, decode: decodeEvent, now: Date.now };
  await catchUpOnce(createProjector({ ...parts, onError: console.error }));
  await views.close();
  return Number(await store.head());
}

async function auditAll(): Promise<number> {
  const { events, findings } = await auditMandate(store, mandateId, null);
  if (findings.length > 0) throw new Error(`the audit found ${findings.length} faults`);
  return events;
}

/** The ceiling: every event of the log, its JSON parsed, and nothing made of it. */
async function readAll(): Promise<number> {
  let events = 0;
  const reading = new AbortController();
  for await (const page of store.subscribe({ after: null, signal: reading.signal })) {
    events += page.events.length;
    if (page.caughtUp) break;
  }
  return events;
}
