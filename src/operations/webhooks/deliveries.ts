/** What became of each message, and sending one once more. */
import { z } from 'zod';
import { idSchema } from '../../../events/ids.ts';
import { postAgain } from '../notifications/post-later.ts';
import { type Delivery, DELIVERY_STATES } from '../../ports/delivery-log.ts';
import { decodeCursor, encodeCursor } from '../cursors.ts';
import { cursorField, limitField, listMeta } from '../list-page.ts';
import { defineOperation } from '../operation.ts';
import { refuse } from '../refusals.ts';
import { isEndpointOf, noSuchEndpoint } from './change-endpoint.ts';
import { exampleEndpointId } from './endpoint-schema.ts';
import { createSpacing, SENT_AT_WORD_EVERY_MS } from './spacing.ts';
import {
  countField,
  nullableCountField,
  nullableTextField,
  textField,
} from '../../../projections/public-fields.ts';
import { exampleFrom } from '../example-from.ts';

const exampleDeliveryId = 'dlv_01kb3j5m8xe3vb0v6yq4s5t7wm';
const deliveryIdInput = idSchema('delivery').meta({
  description: 'The id of the delivery; its receiver sees it as webhook-id.',
  example: exampleDeliveryId,
});

export const deliverySchema = z
  .strictObject({
    id: deliveryIdInput,
    type: textField('What is told.', 'job.completed'),
    jobId: nullableTextField('The job it is about.', 'job_01kb3j5m8xe3vb0v6yq4s5t7wv'),
    url: textField(
      'Where it was to go when it was made; a changed endpoint takes it at its new address.',
      'https://buyer.example/hooks',
    ),
    state: z.enum(DELIVERY_STATES).meta({
      description: 'pending is tried again; failed is not, unless you ask.',
      example: 'delivered',
    }),
    attempts: countField(
      'Tries so far; none is made while the account is frozen, or once the endpoint is disabled.',
      1,
    ),
    lastAttemptAt: nullableTextField('When it was tried last.', '2026-11-27T09:30:01.000Z'),
    lastStatus: nullableCountField('The HTTP status of the last answer.', 204),
    lastError: nullableTextField('What was wrong with the last try, or why none was made since.', null),
    nextAttemptAt: nullableTextField('When it is tried next.', '2026-11-27T09:30:06.000Z'),
    createdAt: textField('When it happened.', '2026-11-27T09:30:00.000Z'),
    body: textField('The message as it is sent.', '{"type":"job.completed"}'),
  })
  .meta({ id: 'WebhookDelivery', description: 'One message to one address.' });
export type ShownDelivery = z.output<typeof deliverySchema>;

export const exampleDelivery: ShownDelivery = { ...exampleFrom(deliverySchema), nextAttemptAt: null };

export const listWebhookDeliveries = defineOperation({
  name: 'listWebhookDeliveries',
  summary: 'What became of the messages to an endpoint in the last month, the newest first.',
  description:
    'With your account’s id in place of an endpoint’s: the messages to the notifyUrl of your jobs.',
  tag: 'webhooks',
  kind: 'query',
  scope: 'webhooks:manage',
  input: z.strictObject({
    endpointId: idSchema('webhookEndpoint', 'account').meta({
      description: 'An endpoint, or your account.',
      example: exampleEndpointId,
    }),
    limit: limitField,
    cursor: cursorField,
  }),
  output: z.array(deliverySchema),
  meta: listMeta,
  refusals: ['invalid_cursor', 'not_found'],
  example: { input: { endpointId: exampleEndpointId, limit: 20 }, output: [exampleDelivery] },
  async run({ endpointId, limit, cursor }, { caller, at }, services) {
    const { accountId } = caller;
    const isOwn = endpointId === accountId || (await isEndpointOf(services, accountId, endpointId, at));
    if (!isOwn) return noSuchEndpoint(endpointId);
    const binding = { list: 'webhook-deliveries', accountId, endpointId };
    const place = cursor === undefined ? undefined : decodeCursor(cursor, binding);
    const [createdAt, id] = place ?? [];
    const isPlace = typeof createdAt === 'string' && typeof id === 'string';
    if (place !== undefined && !isPlace)
      return refuse('invalid_cursor', 'this cursor is malformed or belongs to another list');
    const after = isPlace ? { after: { createdAt, id } } : {};
    const of = { accountId, endpointId };
    const [rows, total] = await Promise.all([
      services.deliveries.list({ ...of, limit: limit + 1, ...after }),
      services.deliveries.count(of),
    ]);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const isMore = rows.length > limit && last !== undefined;
    const nextCursor = isMore ? encodeCursor([last.createdAt, last.id], binding) : null;
    return { ok: true, data: page.map(showDelivery), meta: { limit, nextCursor, total } };
  },
});

const spacing = createSpacing(SENT_AT_WORD_EVERY_MS);

export const redeliverWebhook = defineOperation({
  name: 'redeliverWebhook',
  summary: 'Send a message once more.',
  description:
    'The same message under the same webhook-id, at once and then for a day. Answers with its record so far, also when ' +
    'an Idempotency-Key comes again, for which it is sent once. A key counts for one delivery: nothing else is sent ' +
    'here that could differ. A message is sent once more in five seconds.',
  tag: 'webhooks',
  kind: 'command',
  scope: 'webhooks:manage',
  input: z.strictObject({ deliveryId: deliveryIdInput }),
  output: deliverySchema,
  refusals: ['not_found', 'rate_limited'],
  example: { input: { deliveryId: exampleDeliveryId }, output: exampleDelivery },
  async run({ deliveryId }, { caller, commandId, at }, services) {
    const delivery = await services.deliveries.get(deliveryId);
    if (delivery?.accountId !== caller.accountId) {
      return refuse('not_found', `there is no delivery ${deliveryId} among yours`);
    }
    const waitSeconds = spacing(deliveryId, commandId, Date.parse(at));
    if (waitSeconds > 0) {
      return refuse('rate_limited', `a message is sent once more in ${SENT_AT_WORD_EVERY_MS / 1_000} s`, {
        retryAfterSeconds: waitSeconds,
      });
    }
    await postAgain(services, delivery, commandId);
    return { ok: true, data: showDelivery(delivery), accepted: true };
  },
});

export function showDelivery(delivery: Delivery): ShownDelivery {
  const { accountId: _account, endpointId: _endpoint, eventId: _event, ...shown } = delivery;
  return shown;
}
