/**
 * Durable spends in this process. Arguments: what (runner, runner-one, raw, raw-one, emmett), the folder, and for Emmett
 * where it is installed. Answers a message `{seconds, inFlight}` with what it did in that time, with so many spends under
 * way (64).
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import { exampleEncrypted } from '../../events/private-text.ts';
import { idFrom } from '../../events/ids.ts';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { openEmmett } from './emmett.ts';
import { AGENT, PRICE_CENTS, WITHOUT_END } from './spends.ts';

const [what = '', folder = '', peers = ''] = process.argv.slice(2);
const IN_FLIGHT = 64;
const MANDATES = 500;

/** Appends in all and those that met with a conflict, for the runner alone. */
export interface SpendsDone {
  readonly rate: number;
  readonly cpuUs: number;
  readonly appends: number;
  readonly conflicts: number;
}

/** Does one spend, or several together, and says how many it were. */
type Spend = () => Promise<number>;
const counts = { appends: 0, conflicts: 0 };

const spend = await prepare();
process.on('message', ({ seconds, inFlight = IN_FLIGHT }: { seconds: number; inFlight?: number }) => {
  void measure(seconds, inFlight).then((done) => process.send?.(done));
});
process.send?.('ready');

async function measure(seconds: number, inFlight: number): Promise<SpendsDone> {
  const before = { ...counts };
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1_000;
  let done = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const together = await spend();
      done += together;
    }
  };
  await Promise.all(Array.from({ length: what === 'raw' ? 1 : inFlight }, lane));
  const took = (performance.now() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    rate: done / took,
    cpuUs: (user + system) / done,
    appends: counts.appends - before.appends,
    conflicts: counts.conflicts - before.conflicts,
  };
}

function prepare(): Promise<Spend> {
  switch (what) {
    case 'runner':
      return runnerSpends(MANDATES);
    case 'runner-one':
      return runnerSpends(1);
    case 'raw':
      return rawGroups(MANDATES);
    case 'raw-one':
      return rawGroups(1);
    case 'emmett':
      return emmettAppends();
    default:
      throw new Error(`there are no spends ${what}`);
  }
}

async function runnerSpends(mandates: number): Promise<Spend> {
  const { store } = await openSqliteLog({ path: join(folder, 'runner.db') });
  const runner = createCommandRunner({
    ...store,
    async append(...given) {
      counts.appends += 1;
      const result = await store.append(...given);
      if (!result.ok) counts.conflicts += 1;
      return result;
    },
  });
  const now = (): string => new Date().toISOString();
  const call = () => ({ at: now(), actor: 'cli', requestId: 'bench', commandId: randomUUID() });
  const accountId = idFrom('account', now(), randomUUID());
  const keyId = idFrom('apiKey', now(), randomUUID());
  const mandateIds = Array.from({ length: mandates }, () => idFrom('mandate', now(), randomUUID()));
  for (const mandateId of mandateIds) {
    await runner.run(
      mandateDecider,
      mandateId,
      { type: 'GrantMandate', mandateId, accountId, terms: WITHOUT_END },
      call(),
    );
  }
  let next = 0;
  return async () => {
    const mandateId = mandateIds[(next += 1) % mandateIds.length] ?? '';
    const calling = call();
    const command = {
      type: 'SpendAgainstMandate',
      spendId: idFrom('spend', calling.at, calling.commandId),
      keyId,
      action: 'trial:create',
      amountCents: PRICE_CENTS,
      order: orderOf(idFrom('job', calling.at, calling.commandId)),
    } as const;
    const outcome = await runner.run(mandateDecider, mandateId, command, calling);
    if (outcome.kind !== 'accepted') throw new Error(`a spend was ${outcome.kind}`);
    return 1;
  };
}

/**
 * The ceiling: groups of 64 rows as large as a spend, a transaction and a sync each, and nothing else. They belong to as
 * many streams as the spends do: rows of one stream all have their entries at the same place of the index.
 */
async function rawGroups(streams: number): Promise<Spend> {
  const path = join(folder, `raw-${streams}.db`);
  await (await openSqliteLog({ path })).close();
  const db = new Database(path);
  db.pragma('synchronous = FULL');
  const insert = db.prepare(
    `INSERT INTO events (stream_id, revision, event_id, type, version, at, data, meta) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const { data, meta } = sampleSpend();
  const dataText = JSON.stringify(data);
  const metaText = JSON.stringify(meta);
  const streamIds = Array.from(
    { length: streams },
    () => `mandate-${idFrom('mandate', new Date().toISOString(), randomUUID())}`,
  );
  let written = 0;
  const group = db.transaction((at: string) => {
    for (let i = 0; i < IN_FLIGHT; i += 1) {
      const id = idFrom('event', at, String(written));
      const revision = Math.floor(written / streams);
      insert.run(streamIds[written % streams], revision, id, 'MandateSpent', 1, at, dataText, metaText);
      written += 1;
    }
  });
  return async () => {
    group.immediate(new Date().toISOString());
    return IN_FLIGHT;
  };
}

async function emmettAppends(): Promise<Spend> {
  const append = await openEmmett(peers, join(folder, 'emmett.db'));
  const versions = new Map<string, bigint>();
  const { data, meta } = sampleSpend();
  let next = 0;
  return async () => {
    const stream = `mandate-${(next += 1) % MANDATES}`;
    const version = versions.get(stream) ?? 0n;
    versions.set(stream, version + 1n);
    await append(stream, version, { type: 'MandateSpent', data, metadata: meta });
    return 1;
  };
}

function orderOf(jobId: string) {
  return {
    jobId,
    agent: AGENT,
    agency: 'ledgerworks',
    expectedRecords: 40,
    hasNotifyUrl: false,
    text: exampleEncrypted,
  };
}

/** As the runner writes them, in size. */
function sampleSpend(): { data: object; meta: object } {
  const id = 'xxx_01kb3j5m8xe3vb0v6yq4s5t7wx';
  const data = {
    spendId: id,
    keyId: id,
    accountId: id,
    period: '2026-11',
    amountCents: PRICE_CENTS,
    currency: 'usd',
    action: 'trial:create',
    spentThisPeriodCents: 1_000 * PRICE_CENTS,
    order: orderOf(id),
  };
  return { data, meta: { actor: 'cli', requestId: 'bench', commandId: randomUUID(), prev: '0'.repeat(64) } };
}
