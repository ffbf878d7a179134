/** B11, and B15 as far as the Data API goes: lists of rows by key, each counted durably before it is answered. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Market } from '../../src/composition/app.ts';
import { createKey } from '../../src/operations/keys/create-key.ts';
import { changePlan } from '../../src/operations/plans/change-plan.ts';
import type { Bench, BenchRun } from './bench.ts';
import { importTools } from './import-tools.ts';
import { rowText } from './imports.ts';
import { load, type LoadRequest, type LoadResult } from './load.ts';
import { inMarket } from './market.ts';
import { bodyBytes, type Served, serveConstant, serveMarket, untilReady } from './servers.ts';
import { WITHOUT_END } from './spends.ts';
import { beside, ratiosOf } from './statistics.ts';
import { figureOf } from './trials.ts';

/** As many as the real list has. */
const ROWS = 3_300;
const HUNDREDFOLD = 330_000;
/** Each may ask 3,000 times a minute: together more often than any server answers here. */
const READERS = 500;
const SEARCH = '/api/v1/tools?q=code&limit=20';
const PAGE = '/api/v1/tools?limit=20';
const CHUNK_ROWS = 1_000;

interface Library extends Served {
  readonly get: (path: string) => Promise<LoadResult>;
  /** For one request. */
  readonly headers: () => Readonly<Record<string, string>>;
}

export const dataReads: Bench = {
  name: 'B11',
  title: `GET ${SEARCH} of ${ROWS} rows, minute and month counted durably`,
  isDurable: true,
  async run(run) {
    const library = await serveRows(run, run.isQuick ? 100 : ROWS);
    await library.get(SEARCH);
    await library.get(PAGE);
    const bytes = await bodyBytes(library.origin + SEARCH, { headers: library.headers() });
    const express = await serveConstant('express', bytes);
    const node = await serveConstant('node', bytes);
    const { rounds, seconds } = run;
    const searched = await beside(
      rounds,
      () => load({ ...express, seconds }),
      () => library.get(SEARCH),
    );
    const paged = await beside(
      rounds,
      () => load({ ...node, seconds }),
      () => library.get(PAGE),
    );
    await Promise.all([library.stop(), express.stop(), node.stop()]);
    return [
      figureOf(`Express constant of ${bytes} bytes`, searched.ceilings),
      figureOf(`node:http constant of ${bytes} bytes`, paged.ceilings),
      {
        ...figureOf('20 rows found by a word, beside Express', searched.own),
        against: { what: 'Express', ...ratiosOf(searched) },
        goal: { of: 'ratio', atLeast: 0.6 },
      },
      {
        ...figureOf('20 rows by name, beside node:http', paged.own),
        against: { what: 'node:http', ...ratiosOf(paged) },
        goal: { of: 'ratio', atLeast: 0.3 },
      },
    ];
  },
};

export const dataGrowth: Bench = {
  name: 'B11+B15',
  title: `GET ${SEARCH} with a hundred times the rows`,
  isDurable: true,
  async run(run) {
    const few = await serveRows(run, run.isQuick ? 100 : ROWS);
    const many = await serveRows(run, run.isQuick ? 1_000 : HUNDREDFOLD);
    await few.get(SEARCH);
    await many.get(SEARCH);
    const measured = await beside(
      run.rounds,
      () => few.get(SEARCH),
      () => many.get(SEARCH),
    );
    await Promise.all([few.stop(), many.stop()]);
    return [
      figureOf(`of ${ROWS} rows`, measured.ceilings),
      {
        ...figureOf(`of ${HUNDREDFOLD} rows`, measured.own),
        against: { what: `${ROWS} rows`, ...ratiosOf(measured) },
        goal: { of: 'ratio', atLeast: 0.83 },
      },
    ];
  },
};

/** A server with so many tools, and readers of the largest plan who ask in turn. */
async function serveRows(run: BenchRun, rows: number): Promise<Library> {
  const dataDir = join(run.scratch, randomUUID());
  const keys = await inMarket(dataDir, async (market) => {
    await market.seed();
    await importTools(market.services, chunksOf(rows));
    const made = await newReaders(market);
    await market.catchUp();
    return made;
  });
  const served = await serveMarket(run, dataDir);
  await untilReady(served);
  let asked = 0;
  const headers = () => {
    asked += 1;
    return { authorization: `Bearer ${keys[asked % keys.length]}` };
  };
  const request = (): LoadRequest => ({ method: 'GET', headers: headers() });
  const get = (path: string) =>
    load({ url: served.origin + path, pid: served.pid, seconds: run.seconds, request });
  return { ...served, get, headers };
}

async function* chunksOf(rows: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < rows; from += CHUNK_ROWS) {
    const count = Math.min(CHUNK_ROWS, rows - from);
    yield Buffer.from(Array.from({ length: count }, (_, n) => `${rowText(from + n)}\n`).join(''));
  }
}

async function newReaders({ services, catchUp }: Market): Promise<string[]> {
  const cause = { at: new Date().toISOString(), actor: 'cli', requestId: 'bench' } as const;
  const readers = await Promise.all(
    Array.from({ length: READERS }, async () => {
      const account = `bench-${randomUUID()}`;
      const identity = { account, name: account, scopes: ['data:read'] as const, agency: null };
      const outcome = await createKey(services, { ...identity, terms: WITHOUT_END }, cause);
      if (!outcome.ok) throw new Error(outcome.refusal.message);
      return { account, key: outcome.created.key };
    }),
  );
  await catchUp();
  for (const { account } of readers) {
    const call = { ...cause, commandId: randomUUID() };
    const changed = await changePlan(services, account, { type: 'SetPlan', plan: 'enterprise' }, call);
    if (!changed.ok) throw new Error(changed.refusal.message);
  }
  return readers.map(({ key }) => key);
}
