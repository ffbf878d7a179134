/** Sends one message to one address: signed, tried again with growing pauses for a day, and every try on record. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { webhookDecider } from '../../commands/webhook/webhook.ts';
import { frozenAccountsProjection } from '../../projections/frozen-accounts.ts';
import { DELIVER, type DeliveryPayload } from '../operations/notifications/post-later.ts';
import { LISTENING } from '../operations/notifications/listening.ts';
import { receiverOf } from '../operations/notifications/receiver.ts';
import { readView } from '../operations/read-view.ts';
import type { Services } from '../operations/services.ts';
import { signatures } from '../operations/standard-webhooks.ts';
import { createDeliveryPlaces } from './delivery-places.ts';
import { payloadOf } from './task-payload.ts';
import { type Fetcher, NotDelivered, type PostOutcome } from '../ports/fetcher.ts';
import type { RetryPlan, RunPlan, TaskKind, TaskOutcome } from '../background/task-runner.ts';

type Delivering = Pick<Services, 'views' | 'events' | 'signer' | 'commands' | 'deliveries' | 'privateTexts'>;

const payloadSchema: z.ZodType<DeliveryPayload> = z.object({
  id: z.string(),
  accountId: z.string(),
  endpointId: z.string(),
  url: z.string(),
  body: z.string(),
});

const DAY_MS = 24 * 60 * 60 * 1_000;
const WEEK_MS = 7 * DAY_MS;
const TIMEOUT_MS = 10_000;
const CONCURRENCY = 256;
/** Whoever froze the account may have done so because of the addresses that were added to it. */
const FROZEN = { kind: 'failed', error: 'account frozen' } as const;
const DISABLED = { kind: 'failed', error: 'disabled' } as const;
/** The task holds address and message in clear, and may have been added before the account was erased. */
const ERASED = { kind: 'failed', error: 'account erased' } as const;
const UNTRIED: ReadonlySet<unknown> = new Set([FROZEN, DISABLED, ERASED]);

/** @param ofAccount how many messages of one account may be on their way at once */
export function deliver(services: Delivering, fetcher: Pick<Fetcher, 'post'>, ofAccount: number): TaskKind {
  const places = createDeliveryPlaces(CONCURRENCY, ofAccount);

  async function bounded(payload: DeliveryPayload, plan: RunPlan): Promise<TaskOutcome> {
    const place = places.take(payload, plan.nowMs);
    if ('atMs' in place) return { kind: 'later', atMs: place.atMs };
    try {
      return await send(services, fetcher, payload, plan);
    } finally {
      place.leave();
    }
  }

  return {
    name: DELIVER,
    concurrency: CONCURRENCY,
    leaseMs: 6 * TIMEOUT_MS,
    retry: { firstPauseMs: 5_000, maxPauseMs: 2 * 60 * 60 * 1_000, giveUpAfterMs: DAY_MS },
    // postLater and postAgain wrote it.
    run: async (task, plan) => bounded(payloadOf(task, payloadSchema), plan),
  };
}

async function send(
  services: Delivering,
  fetcher: Pick<Fetcher, 'post'>,
  payload: DeliveryPayload,
  plan: RunPlan,
): Promise<TaskOutcome> {
  const { id, endpointId, accountId, url, body } = payload;
  if (await services.privateTexts.isErased(accountId)) return settle(services, payload, plan, ERASED, true);
  if ((await readView(services.views, frozenAccountsProjection, accountId)) !== undefined)
    return settle(services, payload, plan, FROZEN, false);
  const receiver = await receiverOf(services, endpointId, plan.nowMs);
  if (receiver === null) return settle(services, payload, plan, DISABLED, true);
  const address = receiver.url ?? url;
  if (address === LISTENING) return settle(services, payload, plan, { kind: 'kept' }, true);
  const timestamp = Math.floor(plan.nowMs / 1_000);
  const outcome = await fetcher.post({
    url: address,
    body,
    timeoutMs: TIMEOUT_MS,
    signal: plan.signal,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Bourse-Webhooks/1',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures(receiver.secrets, id, timestamp, body),
    },
  });
  // Whether it arrived is not known: it comes again, under the id by which its receiver knows it.
  if (outcome.kind === 'stopped') return { kind: 'later', atMs: plan.nowMs };
  const isFinal = outcome.kind === 'forbidden' || (outcome.kind === 'answered' && outcome.status === 410);
  const settled = await settle(services, payload, plan, outcome, isFinal);
  if (outcome.kind === 'answered' && outcome.status === 410)
    await disable(services, endpointId, 'gone', plan);
  return settled;
}

/** Records the try, and ends the endpoint that has taken nothing for a week. */
async function settle(
  services: Delivering,
  { id, endpointId }: DeliveryPayload,
  plan: RetryPlan,
  outcome: Exclude<PostOutcome, { kind: 'stopped' }> | { readonly kind: 'kept' },
  isFinal: boolean,
): Promise<TaskOutcome> {
  const isTaken =
    outcome.kind === 'kept' || (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300);
  const pauseMs = outcome.kind === 'answered' ? (outcome.retryAfterMs ?? 0) : 0;
  const retryAtMs = isTaken || isFinal ? null : plan.retryAtMs(pauseMs);
  const error = isTaken ? null : outcome.kind === 'answered' ? `HTTP ${outcome.status}` : outcome.error;
  const recording = services.deliveries.record({
    deliveryId: id,
    endpointId,
    at: new Date(plan.nowMs).toISOString(),
    isTried: !UNTRIED.has(outcome),
    status: outcome.kind === 'answered' ? outcome.status : null,
    error,
    state: isTaken ? 'delivered' : retryAtMs === null ? 'failed' : 'pending',
    nextAttemptAt: retryAtMs === null ? null : new Date(retryAtMs).toISOString(),
  });
  if (isTaken) return { kind: 'done', after: recording };
  const failingSince = await recording;
  if (failingSince !== null && Date.parse(failingSince) + WEEK_MS < plan.nowMs)
    await disable(services, endpointId, 'failing', plan);
  return retryAtMs === null
    ? { kind: 'done' }
    : { kind: 'retry', error: new NotDelivered(`${id}: ${error}`), atMs: retryAtMs };
}

/** The notifyUrl of a job is no endpoint: its message alone comes to nothing. */
async function disable(
  { commands }: Delivering,
  endpointId: string,
  reason: 'gone' | 'failing',
  { nowMs }: RetryPlan,
): Promise<void> {
  if (endpointId.startsWith('acc_')) return;
  const requestId = `deliver-${randomUUID()}`;
  await commands.run(
    webhookDecider,
    endpointId,
    { type: 'DisableWebhookEndpoint', reason },
    { at: new Date(nowMs).toISOString(), actor: 'scheduler', requestId, commandId: requestId },
  );
}
