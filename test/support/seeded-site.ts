/** The real service over the seeded market, for tests that look at it as readers and crawlers do. */
import { fileURLToPath } from 'node:url';
import { seedMarket } from '../../src/seeding/seed-market.ts';
import { type ApiOptions, startApi, type TestApi } from './api.ts';

const SEEDS = fileURLToPath(new URL('../../infra/seeds', import.meta.url));

export async function startSeededSite(options: ApiOptions = {}): Promise<TestApi> {
  const api = await startApi(options);
  await seedMarket(api.services, SEEDS, new Date().toISOString());
  await api.services.projector.caughtUp();
  return api;
}

/** An address of each kind of page there is. */
export const EACH_PAGE = [
  '/',
  '/agents',
  '/agents?category=finance&sort=name',
  '/agents?q=nothing-matches-this',
  '/agents/expense-clerk',
  '/agencies',
  '/agencies/ledgerworks',
  '/bundles',
  '/bundles/month-end-close',
  '/methodology',
  '/methodology?version=1.0',
  '/docs',
  '/agents/schema-scout',
  '/agents/there-is-none',
  '/agents?limit=0',
] as const;

export interface Reading {
  readonly status: number;
  readonly headers: Headers;
  readonly type: string;
  readonly text: string;
}

/** What is at an address, read as a browser reads it. */
export async function read(
  { url }: TestApi,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reading> {
  const answer = await fetch(url + path, { redirect: 'manual', headers: { Accept: BROWSER, ...headers } });
  const type = answer.headers.get('Content-Type') ?? '';
  return { status: answer.status, headers: answer.headers, type, text: await answer.text() };
}

const BROWSER = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';
