/** The endpoints of an account: added, listed, changed and removed. */
import { z } from 'zod';
import type { WebhookCommand } from '../../../commands/webhook/webhook.ts';
import { line } from '../../../events/texts.ts';
import {
  type WebhookEndpointDocument,
  webhookEndpointsProjection,
} from '../../../projections/webhook-endpoints.ts';
import { commandCall } from '../idempotency.ts';
import { cursorField, limitField, listMeta, listOwn } from '../list-page.ts';
import { defineOperation, type KeyedCall, type Outcome } from '../operation.ts';
import type { RefusalCode } from '../refusals.ts';
import type { Services } from '../services.ts';
import { addEndpoint, changeEndpoint } from './change-endpoint.ts';
import { endpointTextOf } from './endpoint-text.ts';
import { notifyAddress } from './notify-address.ts';
import {
  endpointIdInput,
  endpointSchema,
  endpointWithSecretSchema,
  exampleEndpoint,
  exampleEndpointId,
  showEndpoint,
  typesField,
  type WebhookEndpoint,
} from './endpoint-schema.ts';

const shared = { tag: 'webhooks', scope: 'webhooks:manage' } as const;
const exampleSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const byId = z.strictObject({ endpointId: endpointIdInput });
const refusals: readonly RefusalCode[] = ['not_found', 'idempotency_mismatch'];
const example = { input: { endpointId: exampleEndpointId }, output: exampleEndpoint };

export const createWebhookEndpoint = defineOperation({
  ...shared,
  kind: 'command',
  name: 'createWebhookEndpoint',
  summary: 'Be notified at an address of what becomes of your jobs.',
  description:
    'Messages are signed as Standard Webhooks says and tried again for a day. The secret is shown in this answer ' +
    'alone. Private addresses are never reached; an address that answers 410, or takes nothing for a week, is disabled.',
  input: z.strictObject({
    url: notifyAddress.meta({
      description: 'An https address on the public internet, without user name and password.',
      example: 'https://buyer.example/hooks',
    }),
    types: typesField
      .optional()
      .meta({ description: 'What to be told of; everything if absent.', example: ['job.completed'] }),
    description: line(200).optional().meta({ description: 'Your own note.', example: 'ERP' }),
  }),
  output: endpointWithSecretSchema,
  refusals: ['conflict', 'idempotency_mismatch'],
  example: {
    input: { url: exampleEndpoint.url, types: ['job.completed', 'job.failed'], description: 'ERP' },
    output: { ...exampleEndpoint, secret: exampleSecret },
  },
  async run({ url, types = null, description = '' }, call, services) {
    const { accountId } = call.caller;
    const added = await addEndpoint(services, accountId, { url, types, description }, commandCall(call));
    if (!added.ok) return added;
    const { endpoint, text, secret, replayed } = added;
    const created = `/webhook-endpoints/${endpoint.endpointId}`;
    return { ok: true, data: { ...showEndpoint(endpoint, text), secret }, created, replayed };
  },
});

export const listWebhookEndpoints = defineOperation({
  ...shared,
  kind: 'query',
  name: 'listWebhookEndpoints',
  summary: 'Where your account is notified.',
  description: 'The oldest first, disabled ones included.',
  input: z.strictObject({ limit: limitField, cursor: cursorField }),
  output: z.array(endpointSchema),
  meta: listMeta,
  refusals: ['invalid_cursor'],
  example: { input: { limit: 20 }, output: [exampleEndpoint] },
  async run({ limit, cursor }, { caller }, services) {
    const filter = { accountId: caller.accountId };
    const view = webhookEndpointsProjection.name;
    const question = { view, filter, order: 'createdAt', limit, cursor };
    return listOwn(services, question, async (endpoint: WebhookEndpointDocument) =>
      showEndpoint(endpoint, await endpointTextOf(endpoint, services)),
    );
  },
});

export const rotateWebhookSecret = defineOperation({
  ...shared,
  kind: 'command',
  name: 'rotateWebhookSecret',
  summary: 'Get a new secret for an endpoint.',
  description:
    'It is shown in this answer alone. Messages are signed with each secret until a day after the next one was made, so ' +
    'that you can change over; at most five sign at once.',
  input: byId,
  output: endpointWithSecretSchema,
  refusals: [...refusals, 'conflict'],
  example: { ...example, output: { ...exampleEndpoint, secret: exampleSecret } },
  async run({ endpointId }, call, services) {
    const { accountId } = call.caller;
    const type = 'RotateWebhookSecret';
    const changed = await changeEndpoint(services, accountId, endpointId, type, commandCall(call));
    if (!changed.ok) return changed;
    const { endpoint, text, secret, replayed } = changed;
    return { ok: true, data: { ...showEndpoint(endpoint, text), secret }, replayed };
  },
});

export const disableWebhookEndpoint = defineOperation({
  ...shared,
  kind: 'command',
  name: 'disableWebhookEndpoint',
  summary: 'Send nothing to an endpoint for now.',
  description: 'What happens meanwhile is not told later.',
  input: byId,
  output: endpointSchema,
  refusals,
  example,
  run: ({ endpointId }, call, services) => change(services, endpointId, 'DisableWebhookEndpoint', call),
});

export const enableWebhookEndpoint = defineOperation({
  ...shared,
  kind: 'command',
  name: 'enableWebhookEndpoint',
  summary: 'Send to a disabled endpoint again.',
  description: 'From now on.',
  input: byId,
  output: endpointSchema,
  refusals,
  example,
  run: ({ endpointId }, call, services) => change(services, endpointId, 'EnableWebhookEndpoint', call),
});

export const removeWebhookEndpoint = defineOperation({
  ...shared,
  kind: 'command',
  name: 'removeWebhookEndpoint',
  summary: 'Remove an endpoint for good.',
  description: 'Messages that are on their way are dropped. Answers with the endpoint as it was.',
  input: byId,
  output: endpointSchema,
  refusals,
  example,
  run: ({ endpointId }, call, services) => change(services, endpointId, 'RemoveWebhookEndpoint', call),
});

async function change(
  services: Services,
  endpointId: string,
  type: Exclude<WebhookCommand['type'], 'AddWebhookEndpoint'>,
  call: KeyedCall,
): Promise<Outcome<WebhookEndpoint>> {
  const changed = await changeEndpoint(services, call.caller.accountId, endpointId, type, commandCall(call));
  if (!changed.ok) return changed;
  return { ok: true, data: showEndpoint(changed.endpoint, changed.text), replayed: changed.replayed };
}
