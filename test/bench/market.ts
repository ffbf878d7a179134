/** Market folders for benches: seeded as `npm start` seeds them, with buyers who may spend without end. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { MandateTerms } from '../../events/mandate-events.ts';
import { type Market, openMarket } from '../../src/composition/app.ts';
import { readConfig } from '../../src/settings/config.ts';
import { createLog } from '../../src/logging/log.ts';
import { type CreatedKey, createKey } from '../../src/operations/keys/create-key.ts';
import type { BenchRun } from './bench.ts';
import type { LoadRequest } from './load.ts';
import { AGENT, WITHOUT_END } from './spends.ts';

/** Buyers that are made at the same time. */
const TOGETHER = 16;

/** Opens the market of a folder in this process, without anything beside it, for as long as `work` takes. */
export async function inMarket<T>(
  dataDir: string,
  work: (market: Market) => Promise<T>,
  env: Readonly<Record<string, string>> = {},
): Promise<T> {
  const market = await openMarket(readConfig({ ...env, DATA_DIR: dataDir }), createLog('error'));
  try {
    return await work(market);
  } finally {
    await market.close();
  }
}

/** How many documents are in each view. @throws {Error} a view is not whole */
export async function documentsOf({ services }: Market): Promise<Readonly<Record<string, number>>> {
  const { views } = await services.projector.status();
  const standing = views.find(({ isServed, stuck }) => !isServed || stuck !== null);
  if (standing !== undefined) throw new Error(`the view ${standing.view} is ${standing.state}`);
  return Object.fromEntries(views.map(({ view, documents }) => [view, documents]));
}

export interface MarketFolder {
  readonly dataDir: string;
  readonly buyers: readonly CreatedKey[];
}

/** A new market with so many buyers, its views up to date; on the engines of the settings. */
export async function newMarket(
  run: BenchRun,
  buyers: number,
  env: Readonly<Record<string, string>> = {},
): Promise<MarketFolder> {
  const dataDir = join(run.scratch, randomUUID());
  const fill = async (market: Market): Promise<MarketFolder> => {
    await market.seed();
    const keys = await newBuyers(market, buyers);
    await market.catchUp();
    return { dataDir, buyers: keys };
  };
  return inMarket(dataDir, fill, env);
}

export async function newBuyers(
  { services }: Market,
  count: number,
  { terms = {}, at = new Date().toISOString() }: { terms?: Partial<MandateTerms>; at?: string } = {},
): Promise<CreatedKey[]> {
  const buyers: CreatedKey[] = [];
  // A log on a server beside other work bears no more at once.
  for (let left = count; left > 0; left -= TOGETHER) {
    const some = Array.from({ length: Math.min(TOGETHER, left) }, () => newBuyer(services, terms, at));
    buyers.push(...(await Promise.all(some)));
  }
  return buyers;
}

async function newBuyer(
  services: Market['services'],
  terms: Partial<MandateTerms>,
  at: string,
): Promise<CreatedKey> {
  const name = randomUUID();
  const outcome = await createKey(
    services,
    {
      account: `bench-${name}`,
      name,
      scopes: ['trials:create', 'jobs:read'],
      agency: null,
      terms: { ...WITHOUT_END, ...terms },
    },
    { at, actor: 'cli', requestId: 'bench' },
  );
  if (!outcome.ok) throw new Error(outcome.refusal.message);
  return outcome.created;
}

/** A folder that takes long to make: made once, and kept for later runs. */
export async function keptFolder(
  { kept, say }: BenchRun,
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(kept, name);
  if (existsSync(folder)) return folder;
  say(`making ${name}, which is kept for the next time`);
  const halfMade = `${folder}.half-made`;
  await rm(halfMade, { recursive: true, force: true });
  await mkdir(halfMade, { recursive: true });
  await make(halfMade);
  await rename(halfMade, folder);
  return folder;
}

/** The wish to create a trial, of each buyer in turn, each under an idempotency key of its own. */
export function trialRequests(buyers: readonly { readonly key: string }[]): () => LoadRequest {
  const body = JSON.stringify({
    agent: AGENT.slug,
    brief: 'Match the invoices of October against the bank statement.',
    expectedRecords: 40,
    metadata: { costCentre: 'FIN-7' },
  });
  let sent = 0;
  return () => {
    sent += 1;
    const buyer = buyers[sent % buyers.length];
    return {
      method: 'POST',
      headers: {
        authorization: `Bearer ${buyer?.key}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body,
    };
  };
}
