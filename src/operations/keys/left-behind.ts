/**
 * What a key leaves behind: what it made outlives it. Whoever revokes a key that leaked is to know which other keys
 * whoever had it may have, where messages still go, which secrets it was shown, and which jobs it left open.
 */
import { type ApiKeyDocument, apiKeysProjection } from '../../../projections/api-keys.ts';
import { type JobDocument, jobsProjection } from '../../../projections/jobs.ts';
import {
  notifySecretsProjection,
  type WebhookEndpointDocument,
  webhookEndpointsProjection,
} from '../../../projections/webhook-endpoints.ts';
import { readView } from '../read-view.ts';
import type { Services } from '../services.ts';
import { endpointTextOf } from '../notifications/endpoint-text.ts';
import { SECRETS_PATIENCE_MS } from './freeze-key.ts';
import { walkView } from '../walk-view.ts';

export interface Known {
  /** Other keys that are not revoked and that it made, or was shown a secret of that may work. */
  readonly keys: readonly { readonly id: string; readonly name: string }[];
  /** Endpoints that it added, or changed the address or note of whenever that was, or whose secret in force it was shown. */
  readonly endpoints: readonly { readonly id: string; readonly url: string }[];
  /** Whether it was shown the secret of messages to the notifyUrl of jobs. */
  readonly knowsNotifySecret: boolean;
}

export interface LeftBehind extends Known {
  /** Jobs that it made and that have not come to an end. */
  readonly openJobs: number;
}

const OPEN = ['draft', 'funded', 'running'] as const;
/** Of each status: far more than an account has open, since drafts end within a day. */
const MAX_JOBS = 100_000;
/** Keys or endpoints: ten times what an account can be allowed. */
const MOST = 10_000;

export async function leftBehind(
  services: Pick<Services, 'views' | 'privateTexts'>,
  keyId: string,
  accountId: string,
): Promise<LeftBehind> {
  const known = await knownTo(services, keyId, accountId);
  const open = await Promise.all(
    OPEN.map((status) => countJobs(services.views, { keyId, accountId, status })),
  );
  return { ...known, openJobs: open.reduce((sum, count) => sum + count, 0) };
}

/** What the key did last is to be found too, unless the views are slow. */
export async function leftReached(
  { projector }: Pick<Services, 'projector'>,
  position: string | null,
): Promise<void> {
  if (position === null) return;
  const views = [apiKeysProjection, webhookEndpointsProjection, notifySecretsProjection];
  await Promise.all(views.map(({ name }) => projector.reached(name, position, SECRETS_PATIENCE_MS)));
}

/** Without the jobs, which are found one by one: what is asked for over the API has no time for that. */
export async function knownTo(
  { views, privateTexts }: Pick<Services, 'views' | 'privateTexts'>,
  keyId: string,
  accountId: string,
): Promise<Known> {
  const actor = `key:${keyId}`;
  const its: WebhookEndpointDocument[] = [];
  const ofAccount = { filter: { accountId }, order: 'createdAt' };
  const endpointsOf = walkView<WebhookEndpointDocument>(
    views,
    webhookEndpointsProjection.name,
    ofAccount,
    MOST,
  );
  for await (const endpoint of endpointsOf) {
    const { madeBy, changedBy = [], secretMadeBy } = endpoint;
    if ([madeBy, ...changedBy, secretMadeBy].includes(actor)) its.push(endpoint);
  }
  const endpoints = await Promise.all(
    its.map(async (endpoint) => {
      const text = await endpointTextOf(endpoint, { privateTexts });
      return { id: endpoint.endpointId, url: text?.url ?? '' };
    }),
  );
  const keys = await keysKnownTo(views, keyId, { accountId, knownTo: actor });
  const secret = await readView(views, notifySecretsProjection, accountId);
  return { keys, endpoints, knowsNotifySecret: secret?.madeBy === actor };
}

async function keysKnownTo(
  views: Services['views'],
  keyId: string,
  filter: { readonly accountId: string; readonly knownTo: string },
): Promise<Known['keys']> {
  const keys: Known['keys'][number][] = [];
  const walk = walkView<ApiKeyDocument>(views, apiKeysProjection.name, { filter, order: 'createdAt' }, MOST);
  for await (const { keyId: id, name } of walk) {
    if (id !== keyId) keys.push({ id, name });
  }
  return keys;
}

/** Looks at all of the account's: an index of the jobs by key would cost every trial, and this is asked of a person's command. */
async function countJobs(
  views: Services['views'],
  { keyId, accountId, status }: { keyId: string; accountId: string; status: string },
): Promise<number> {
  const filter = { accountId, status };
  let count = 0;
  const walk = walkView<JobDocument>(views, jobsProjection.name, { filter, order: '-createdAt' }, MAX_JOBS);
  for await (const job of walk) if (job.keyId === keyId) count += 1;
  return count;
}
