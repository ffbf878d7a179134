import { z } from 'zod';
import { webhookDecider } from '../../../commands/webhook/webhook.ts';
import { LogContradiction } from '../../../events/event-store.ts';
import { postTest } from '../notifications/post-later.ts';
import type { Delivery } from '../../ports/delivery-log.ts';
import type { CommandCall } from '../../commanding/command-call.ts';
import { defineOperation } from '../operation.ts';
import { refuse, standsAt, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { isEndpointOf, noSuchEndpoint } from './change-endpoint.ts';
import { deliverySchema, exampleDelivery, showDelivery } from './deliveries.ts';
import { endpointIdInput, exampleEndpointId } from './endpoint-schema.ts';
import { endpointTextOf } from '../notifications/endpoint-text.ts';
import { createSpacing, SENT_AT_WORD_EVERY_MS } from './spacing.ts';

export const testWebhookEndpoint = defineOperation({
  name: 'testWebhookEndpoint',
  summary: 'Send a test message to an endpoint.',
  description:
    'A message of the type `webhook_endpoint.test`, whatever types the endpoint wants to be told of, signed and tried ' +
    'again as any other. Answers with its record; what became of it stands among the deliveries. An Idempotency-Key ' +
    'counts for one endpoint: under it one message is sent. An endpoint is sent one test in five seconds.',
  tag: 'webhooks',
  kind: 'command',
  scope: 'webhooks:manage',
  input: z.strictObject({ endpointId: endpointIdInput }),
  output: deliverySchema,
  refusals: ['not_found', 'conflict', 'rate_limited'],
  example: {
    input: { endpointId: exampleEndpointId },
    output: {
      ...exampleDelivery,
      type: 'webhook_endpoint.test',
      jobId: null,
      state: 'pending',
      attempts: 0,
      lastAttemptAt: null,
      lastStatus: null,
      nextAttemptAt: '2026-11-27T09:30:00.000Z',
      body: `{"type":"webhook_endpoint.test","timestamp":"2026-11-27T09:30:00.000Z","data":{"endpointId":"${exampleEndpointId}"}}`,
    },
  },
  async run({ endpointId }, call, services) {
    const sent = await sendTest(services, call.caller.accountId, endpointId, call);
    return sent.ok ? { ok: true, data: showDelivery(sent.delivery), accepted: true } : sent;
  },
});

const spacing = createSpacing(SENT_AT_WORD_EVERY_MS);

type SentTest = { readonly ok: true; readonly delivery: Delivery } | Refused;

/** For the command line too. */
export async function sendTest(
  services: Pick<Services, 'commands' | 'views' | 'privateTexts' | 'queue' | 'deliveries'>,
  accountId: string,
  endpointId: string,
  { at, commandId }: Pick<CommandCall, 'at' | 'commandId'>,
): Promise<SentTest> {
  if (!(await isEndpointOf(services, accountId, endpointId, at))) return noSuchEndpoint(endpointId);
  const { state } = await services.commands.load(webhookDecider, endpointId, at);
  if (state.status === 'absent' || state.status === 'removed') return noSuchEndpoint(endpointId);
  if (state.status === 'disabled') {
    const details = standsAt('status', state.status);
    return refuse('conflict', 'the endpoint is disabled: enable it first', { details });
  }
  const known = await endpointTextOf(state.endpoint, services);
  if (known === null) return refuse('conflict', 'the account was erased');
  const waitSeconds = spacing(endpointId, commandId, Date.parse(at));
  if (waitSeconds > 0) {
    return refuse('rate_limited', `an endpoint is sent one test in ${SENT_AT_WORD_EVERY_MS / 1_000} s`, {
      retryAfterSeconds: waitSeconds,
    });
  }
  const id = await postTest(services, { accountId, endpointId, url: known.url, commandId, at });
  const delivery = await services.deliveries.get(id);
  if (delivery === null) throw new LogContradiction(`${id} was begun and is not there`);
  return { ok: true, delivery };
}
