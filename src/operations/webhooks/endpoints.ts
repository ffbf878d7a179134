/** The endpoints of an account: added, listed, changed and removed. */
import { z } from 'zod';
import { line } from '../../../events/texts.ts';
import { NOTIFICATION_TYPES, type NotificationType } from '../../../events/webhook-events.ts';
import {
  type WebhookEndpointDocument,
  webhookEndpointsProjection,
} from '../../../projections/webhook-endpoints.ts';
import { commandCall } from '../idempotency.ts';
import { cursorField, limitField, listMeta, listOwn } from '../list-page.ts';
import { defineOperation, type KeyedCall, type Outcome } from '../operation.ts';
import type { RefusalCode } from '../refusals.ts';
import type { Services } from '../services.ts';
import { LISTENING } from '../notifications/listening.ts';
import { amendEndpoint } from './amend-endpoint.ts';
import {
  addEndpoint,
  changeEndpoint,
  type EndpointChange,
  noSuchEndpoint,
  readEndpoint,
  type WantedEndpoint,
} from './change-endpoint.ts';
import { endpointTextOf } from '../notifications/endpoint-text.ts';
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
  type WebhookEndpointWithSecret,
} from './endpoint-schema.ts';

const shared = { tag: 'webhooks', scope: 'webhooks:manage' } as const;
/** Among the types of a change: everything, as where none are named when an endpoint is added. */
const EVERYTHING = '*';
export const wantedType = z.enum([EVERYTHING, ...NOTIFICATION_TYPES]);
const urlField = notifyAddress.meta({
  description: 'An https address on the public internet, without user name and password.',
  example: 'https://buyer.example/hooks',
});
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
    url: urlField,
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
  run: ({ url, types = null, description = '' }, call, services) =>
    add(services, { url, types, description }, call),
});

export const createWebhookListener = defineOperation({
  ...shared,
  kind: 'command',
  name: 'createWebhookListener',
  summary: 'Listen for messages without a public address.',
  description:
    'Makes an endpoint to which nothing is sent: its messages are in its list of deliveries, where they are `delivered`. ' +
    'It is what `bourse listen` works with. The secret is shown in this answer alone, to sign what is passed on. An ' +
    'update gives it an https address when there is one.',
  input: z.strictObject({
    types: typesField
      .optional()
      .meta({ description: 'What to be told of; everything if absent.', example: ['job.completed'] }),
    description: line(200).optional().meta({ description: 'Your own note.', example: 'bourse listen' }),
  }),
  output: endpointWithSecretSchema,
  refusals: ['conflict', 'idempotency_mismatch'],
  example: {
    input: { description: 'bourse listen' },
    output: {
      ...exampleEndpoint,
      url: LISTENING,
      types: null,
      description: 'bourse listen',
      secret: exampleSecret,
    },
  },
  run: ({ types = null, description = '' }, call, services) =>
    add(services, { url: LISTENING, types, description }, call),
});

async function add(
  services: Services,
  wanted: WantedEndpoint,
  call: KeyedCall,
): Promise<Outcome<WebhookEndpointWithSecret>> {
  const added = await addEndpoint(services, call.caller.accountId, wanted, commandCall(call));
  if (!added.ok) return added;
  const { endpoint, text, secret, replayed } = added;
  const created = `/webhook-endpoints/${endpoint.endpointId}`;
  return { ok: true, data: { ...showEndpoint(endpoint, text), secret }, created, replayed };
}

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

export const getWebhookEndpoint = defineOperation({
  ...shared,
  kind: 'query',
  name: 'getWebhookEndpoint',
  summary: 'One of the addresses that your account is notified at.',
  description: 'As it is at this moment. Its secret is not shown again.',
  input: byId,
  output: endpointSchema,
  refusals: ['not_found'],
  example,
  async run({ endpointId }, { caller, at }, services) {
    const endpoint = await readEndpoint(services, caller.accountId, endpointId, at);
    if (endpoint === null) return noSuchEndpoint(endpointId);
    return { ok: true, data: showEndpoint(endpoint, await endpointTextOf(endpoint, services)) };
  },
});

export const updateWebhookEndpoint = defineOperation({
  ...shared,
  kind: 'command',
  name: 'updateWebhookEndpoint',
  summary: 'Change where an endpoint is, or what it is told of.',
  description:
    'What is left out stays as it is, and so do its secret, its log and whether it is disabled. Messages that are on ' +
    'their way go to the new address.',
  input: z.strictObject({
    endpointId: endpointIdInput,
    url: urlField.optional(),
    types: z
      .array(wantedType)
      .min(1)
      .max(20)
      .optional()
      .meta({
        description: 'What to be told of from now on; `*` among them: everything.',
        example: ['job.completed', 'job.failed'],
      }),
    description: line(200).optional().meta({ description: 'Your own note.', example: 'ERP' }),
  }),
  output: endpointSchema,
  refusals: [...refusals, 'conflict'],
  example: {
    input: {
      endpointId: exampleEndpointId,
      url: exampleEndpoint.url,
      types: ['job.completed', 'job.failed'],
    },
    output: exampleEndpoint,
  },
  async run({ endpointId, url, types, description }, call, services) {
    const amendment = { url, types: types && wantedTypes(types), description };
    const { accountId } = call.caller;
    const changed = await amendEndpoint(services, accountId, endpointId, amendment, commandCall(call));
    if (!changed.ok) return changed;
    return { ok: true, data: showEndpoint(changed.endpoint, changed.text), replayed: changed.replayed };
  },
});

/** Null: everything, also what is added later. */
export function wantedTypes(types: readonly z.output<typeof wantedType>[]): NotificationType[] | null {
  if (types.includes(EVERYTHING)) return null;
  return types.filter((type) => type !== EVERYTHING);
}

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
  refusals: [...refusals, 'conflict'],
  example,
  run: ({ endpointId }, call, services) => change(services, endpointId, 'EnableWebhookEndpoint', call),
});

export const removeWebhookEndpoint = defineOperation({
  ...shared,
  kind: 'command',
  name: 'removeWebhookEndpoint',
  summary: 'Remove an endpoint for good.',
  description: 'Messages that are on their way are dropped. Answers with the endpoint as it was, `removed`.',
  input: byId,
  output: endpointSchema,
  refusals,
  example: { ...example, output: { ...exampleEndpoint, status: 'removed' } },
  run: ({ endpointId }, call, services) => change(services, endpointId, 'RemoveWebhookEndpoint', call),
});

async function change(
  services: Services,
  endpointId: string,
  type: EndpointChange,
  call: KeyedCall,
): Promise<Outcome<WebhookEndpoint>> {
  const changed = await changeEndpoint(services, call.caller.accountId, endpointId, type, commandCall(call));
  if (!changed.ok) return changed;
  return { ok: true, data: showEndpoint(changed.endpoint, changed.text), replayed: changed.replayed };
}
