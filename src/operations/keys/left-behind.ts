/**
 * What a key leaves behind: what it made outlives it. Whoever revokes a key that leaked is to know where messages still
 * go, which secrets it was shown, and which jobs it left open.
 */
import { type JobDocument, jobsProjection } from '../../../projections/jobs.ts';
import {
  notifySecretsProjection,
  type WebhookEndpointDocument,
  webhookEndpointsProjection,
} from '../../../projections/webhook-endpoints.ts';
import type { Keyset, PageQuery } from '../../../projections/view-store.ts';
import { parseDocument, readView } from '../read-view.ts';
import type { Services } from '../services.ts';
import { endpointTextOf } from '../webhooks/endpoint-text.ts';

export interface Known {
  /** Endpoints that it added, or whose secret in force it was shown. */
  readonly endpoints: readonly { readonly id: string; readonly url: string }[];
  /** Whether it was shown the secret of messages to the notifyUrl of jobs. */
  readonly knowsNotifySecret: boolean;
}

export interface LeftBehind extends Known {
  /** Jobs that it made and that have not come to an end. */
  readonly openJobs: number;
}

const OPEN = ['draft', 'funded', 'running'] as const;
const JOBS_AT_ONCE = 500;
/** Of each status: far more than an account has open, since drafts end within a day. */
const MAX_JOBS = 100_000;
/** More than an account may have. */
const MAX_ENDPOINTS = 100;

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

/** Without the jobs, which are found one by one: what is asked for over the API has no time for that. */
export async function knownTo(
  { views, privateTexts }: Pick<Services, 'views' | 'privateTexts'>,
  keyId: string,
  accountId: string,
): Promise<Known> {
  const actor = `key:${keyId}`;
  const { rows } = await views.page(webhookEndpointsProjection.name, {
    filter: { accountId },
    order: 'createdAt',
    limit: MAX_ENDPOINTS,
  });
  const its = rows
    .map((row) => parseDocument<WebhookEndpointDocument>(row))
    .filter(({ madeBy, secretMadeBy }) => madeBy === actor || secretMadeBy === actor);
  const endpoints = await Promise.all(
    its.map(async (endpoint) => {
      const text = await endpointTextOf(endpoint, { privateTexts });
      return { id: endpoint.endpointId, url: text?.url ?? '' };
    }),
  );
  const secret = await readView(views, notifySecretsProjection, accountId);
  return { endpoints, knowsNotifySecret: secret?.madeBy === actor };
}

/** Looks at all of the account's: an index of the jobs by key would cost every trial, and this is asked of a person's command. */
async function countJobs(
  views: Services['views'],
  { keyId, accountId, status }: { keyId: string; accountId: string; status: string },
): Promise<number> {
  const filter = { accountId, status };
  let count = 0;
  let after: Keyset | null = null;
  for (let seen = 0; seen < MAX_JOBS; seen += JOBS_AT_ONCE) {
    const query: PageQuery = { filter, order: '-createdAt', limit: JOBS_AT_ONCE, ...(after && { after }) };
    const { rows, next } = await views.page(jobsProjection.name, query);
    count += rows.filter((row) => parseDocument<JobDocument>(row).keyId === keyId).length;
    if (next === null) break;
    after = next;
  }
  return count;
}
