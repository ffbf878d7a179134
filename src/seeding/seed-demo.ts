/**
 * Fills an empty market through the real commands and makes a demonstration buyer. A seeding that ended half-way goes
 * on at the next start: the buyer's key is made last, and the first event of the log tells that a seeding began it.
 * Who serves the market makes it once the server listens, so that the key is of use when it is shown.
 */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { accountDecider } from '../../commands/account/account.ts';
import { keyDecider } from '../../commands/key/key.ts';
import { subscriptionDecider } from '../../commands/subscription/subscription.ts';
import type { EventStore } from '../../events/event-store.ts';
import { freshId, idFrom } from '../../events/ids.ts';
import type { MandateTerms } from '../../events/mandate-events.ts';
import type { CommandCall } from '../commanding/command-call.ts';
import { newApiKey } from '../operations/keys/api-key-secret.ts';
import { createKey } from '../operations/keys/create-key.ts';
import { NOTHING_ALLOWED } from '../operations/keys/mandate-input.ts';
import type { Scope } from '../operations/operation.ts';
import type { Services } from '../operations/services.ts';
import type { SeedReport } from './seed-market.ts';

/** The same in every demonstration market: whether it stands tells whether the seeding came to its end. */
export const DEMO_KEY_ID = idFrom('apiKey', '2026-01-01T00:00:00.000Z', 'demonstration buyer');
const ACTOR = 'seed';
const HANDLE = 'demo-buyer';

/** All that docs/*.md does with a buyer's key. */
const SCOPES: readonly Scope[] = [
  'trials:create',
  'jobs:read',
  'jobs:cancel',
  'mandate:read',
  'webhooks:manage',
  'keys:manage',
  'audit:read',
  'data:read',
];

const terms: MandateTerms = {
  ...NOTHING_ALLOWED,
  maxPerTransactionCents: 5_000,
  maxMonthlyCents: 20_000,
  allowedActions: ['trial:create'],
};

const SEED_FOLDER = fileURLToPath(new URL('../../infra/seeds', import.meta.url));

const CATALOGUE_FOLDER = fileURLToPath(new URL('../../infra/seeds/catalogue', import.meta.url));

type Seeding = Pick<Services, 'commands' | 'events' | 'keyPrefix' | 'blobs' | 'queue'>;

/** Takes the lines for the person at the terminal. */
type Show = (lines: readonly string[]) => void;

export type DemoFilling =
  | {
      readonly kind: 'filled';
      /**
       * Shows the buyer's key, which is kept nowhere, before it is made: whoever is killed right after has a key that was
       * shown, or the next start shows another one.
       */
      readonly makeKey: (show: Show) => Promise<DemoKey>;
    }
  /** There is nothing to do. */
  | { readonly kind: 'not_empty' }
  /** The signal was aborted: the same again goes on from there. */
  | { readonly kind: 'interrupted' };

export type DemoKey =
  | {
      readonly kind: 'seeded';
      readonly report: SeedReport & { readonly rows: number };
      readonly buyer: DemoBuyer;
    }
  /** Another process that seeds the same market made the buyer's key, and has shown it. */
  | { readonly kind: 'overtaken' };

export type DemoSeeding = DemoKey | Exclude<DemoFilling, { kind: 'filled' }>;

export interface DemoBuyer {
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
}

export interface SeedOptions {
  /** Aborted when it is to stop between two steps. */
  readonly signal?: AbortSignal;
  readonly show?: Show;
}

export async function fillDemo(services: Seeding, at: string, signal?: AbortSignal): Promise<DemoFilling> {
  const beganBy = await firstActor(services.events);
  if (beganBy !== null && beganBy !== ACTOR) return { kind: 'not_empty' };
  const { state: buyersKey } = await services.commands.load(keyDecider, DEMO_KEY_ID, at);
  if (buyersKey.status !== 'absent') return { kind: 'not_empty' };

  // What reads publications and rows is needed this once, and not at any later start.
  const { seedMarket } = await import('./seed-market.ts');
  const { seedCatalogue } = await import('./seed-catalogue.ts');
  const cause = { at, actor: ACTOR, requestId: 'seed' };
  const market = await seedMarket(services, SEED_FOLDER, at, signal);
  const rows = market && (await seedCatalogue(services, CATALOGUE_FOLDER, cause, signal));
  if (market === null || rows === null) return { kind: 'interrupted' };
  await givePlan(services, cause);
  const report = { ...market, rows };
  return { kind: 'filled', makeKey: (show) => makeKey(services, cause, report, show) };
}

async function makeKey(
  services: Seeding,
  cause: Cause,
  report: SeedReport & { readonly rows: number },
  show: Show,
): Promise<DemoKey> {
  const secret = newApiKey(services.keyPrefix);
  show(describeKey(secret));
  const key = {
    keyId: DEMO_KEY_ID,
    secret,
    name: 'Demonstration buyer',
    scopes: SCOPES,
    agency: null,
    terms,
  };
  const outcome = await createKey(services, { account: HANDLE, ...key }, cause);
  if (!outcome.ok) return { kind: 'overtaken' };
  const { accountId, keyId, key: made } = outcome.created;
  return { kind: 'seeded', report, buyer: { accountId, keyId, key: made } };
}

type Cause = Pick<CommandCall, 'at' | 'actor' | 'requestId'>;

/** Where the account has a plan already, a seeding that was broken off has given it. */
async function givePlan({ commands }: Seeding, cause: Cause): Promise<void> {
  const call = (): CommandCall => ({ ...cause, commandId: randomUUID() });
  const accountId = freshId('account', cause.at, randomUUID());
  const open = { type: 'OpenAccount', accountId, handle: HANDLE } as const;
  const opened = await commands.run(accountDecider, HANDLE, open, call());
  if (opened.kind !== 'accepted' || opened.state.status !== 'open') return;
  const choose = { type: 'ChoosePlan', accountId: opened.state.accountId, plan: 'starter' } as const;
  await commands.run(subscriptionDecider, opened.state.accountId, choose, call());
}

function describeKey(key: string): readonly string[] {
  return [
    `The demonstration buyer's API key, shown this once (${DEMO_KEY_ID}, up to USD 50.00 each, USD 200.00 a month):`,
    `  ${key}`,
  ];
}

/** What a person at the terminal is told beside the key: a curl that works as printed. */
export function describeSeeding(
  { report, buyer }: Extract<DemoKey, { kind: 'seeded' }>,
  baseUrl: string,
): readonly string[] {
  return [
    `It was seeded with ${report.agents} agents of ${report.agencies} agencies and ${report.bundles} bundles, and ${report.rows} rows of the Data API.`,
    'Create a trial run with the key above:',
    `  curl -s ${baseUrl}/v1/trials -H 'Authorization: Bearer ${buyer.key}' \\`,
    "    -H 'Content-Type: application/json' -H 'Idempotency-Key: first-trial' \\",
    `    -d '{"agent":"invoice-matcher","brief":"Match the invoices of October against the bank statement."}'`,
  ];
}

export const OVERTAKEN =
  'Another process seeded the market at the same time: the key above does not work, that process has shown the one that does.';

async function firstActor(events: EventStore): Promise<string | null> {
  const looking = new AbortController();
  for await (const page of events.subscribe({ after: null, pageSize: 1, signal: looking.signal })) {
    return page.events[0]?.meta.actor ?? null;
  }
  return null;
}
