/** An address that an account is notified at, as answers show it. */
import { z } from 'zod';
import { idSchema } from '../../../events/ids.ts';
import { type EndpointText, notificationTypeSchema } from '../../../events/webhook-events.ts';
import type { WebhookEndpointDocument } from '../../../projections/webhook-endpoints.ts';
import { momentField, textField } from '../../../projections/public-fields.ts';
import { exampleFrom } from '../example-from.ts';

export const exampleEndpointId = 'whe_01kb3j5m8xe3vb0v6yq4s5t7wp';

export const endpointIdInput = idSchema('webhookEndpoint').meta({
  description: 'The id of the endpoint.',
  example: exampleEndpointId,
});

const madeByField = idSchema('apiKey').nullable().meta({ example: 'key_01kb3j5m8xe3vb0v6yq4s5t7wx' });

export const typesField = z.array(notificationTypeSchema).min(1).max(20);

export const endpointSchema = z
  .strictObject({
    id: endpointIdInput,
    url: textField(
      'Where messages go; `listen:` where they are only kept in the list of deliveries.',
      'https://buyer.example/hooks',
    ),
    types: typesField.nullable().meta({
      description: 'What it is told of; null: everything.',
      example: ['job.completed', 'job.failed'],
    }),
    description: textField('The owner’s own note.', 'ERP'),
    status: z.enum(['enabled', 'disabled', 'removed']).meta({
      description: 'Whether messages are sent; `removed` stands in the answer to its removal alone.',
      example: 'enabled',
    }),
    disabledReason: z.enum(['gone', 'failing', 'owner']).nullable().meta({
      description: 'Why not: it answered 410, took nothing for a week, or its owner said so.',
      example: null,
    }),
    madeBy: madeByField.meta({ description: 'The key that added it; null: an operator did.' }),
    changedBy: madeByField.meta({
      description: 'The key that changed its address or note last; null: none did.',
    }),
    secretMadeBy: madeByField.meta({
      description: 'The key that was shown the secret in force; null: an operator was.',
    }),
    createdAt: momentField('Since when.'),
  })
  .meta({ id: 'WebhookEndpoint', description: 'An address that the account is notified at.' });
export type WebhookEndpoint = z.output<typeof endpointSchema>;

export const endpointWithSecretSchema = endpointSchema
  .extend({
    secret: textField(
      'What messages are signed with (Standard Webhooks). Shown in this answer alone.',
      'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    ),
  })
  .meta({ id: 'WebhookEndpointWithSecret', description: 'An endpoint and its secret.' });
export type WebhookEndpointWithSecret = z.output<typeof endpointWithSecretSchema>;

export const exampleEndpoint: WebhookEndpoint = { ...exampleFrom(endpointSchema), changedBy: null };

/** An endpoint as its owner is shown it: one that was removed is in no view any more. */
export type ShownEndpoint = Omit<WebhookEndpointDocument, 'status'> & Pick<WebhookEndpoint, 'status'>;

/** @param text null where the account's key was erased: nothing is left to show */
export function showEndpoint(document: ShownEndpoint, text: EndpointText | null): WebhookEndpoint {
  const { endpointId, types, status, disabledReason, createdAt } = document;
  const { url = '', description = '' } = text ?? {};
  const madeBy = keyOfActor(document.madeBy);
  const changer = document.changedBy?.at(-1);
  const changedBy = changer === undefined ? null : keyOfActor(changer);
  const secretMadeBy = keyOfActor(document.secretMadeBy);
  return {
    id: endpointId,
    url,
    types,
    description,
    status,
    disabledReason,
    madeBy,
    changedBy,
    secretMadeBy,
    createdAt,
  };
}

/** The key that an actor of an event is; null for everybody else: the command line, a link, a reaction. */
function keyOfActor(actor: string): string | null {
  return actor.startsWith('key:') ? actor.slice('key:'.length) : null;
}
