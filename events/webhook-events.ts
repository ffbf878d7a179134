/**
 * What happens to the addresses that an account is notified at: one stream `webhook-{endpointId}` for each, and
 * `notify-{accountId}` for the secret that messages to the notifyUrl of a job are signed with. Secrets follow from the
 * service's own secret and the version kept here; none is stored.
 */
import { z } from 'zod';
import { defineEvent, type FactOf } from './event.ts';
import { idSchema } from './ids.ts';
import { exampleEncrypted, privateText } from './private-text.ts';

/** What an account can be notified of. */
export const NOTIFICATION_TYPES = [
  'job.drafted',
  'job.funded',
  'job.started',
  'job.completed',
  'job.failed',
  'job.cancelled',
  'job.expired',
  'job.refunded',
  'job.artifact_attached',
  'mandate.denied',
  'mandate.threshold',
  'quota.threshold',
  'webhook_endpoint.disabled',
] as const;
export const notificationTypeSchema = z.enum(NOTIFICATION_TYPES);
export type NotificationType = z.output<typeof notificationTypeSchema>;

const endpoint = { endpointId: idSchema('webhookEndpoint'), accountId: idSchema('account') };
const example = {
  endpointId: 'whe_01kb3j5m8xe3vb0v6yq4s5t7wp',
  accountId: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy',
};

export const endpointTextSchema = z.strictObject({
  url: z.string().max(2_000),
  description: z.string().max(200),
});
export type EndpointText = z.output<typeof endpointTextSchema>;

export const webhookEvents = [
  defineEvent({
    type: 'WebhookEndpointAdded',
    version: 2,
    summary: 'An account asked to be notified at an address.',
    data: z.strictObject({
      ...endpoint,
      /** Null: everything there is. */
      types: z.array(notificationTypeSchema).min(1).nullable(),
      /** The address and the owner's note. */
      text: privateText(endpointTextSchema),
    }),
    example: { ...example, types: ['job.completed', 'job.failed'], text: exampleEncrypted },
  }),
  defineEvent({
    type: 'WebhookEndpointChanged',
    summary: 'Its owner changed where messages go, which ones, or the note; its secret and its log stay.',
    data: z.strictObject({
      ...endpoint,
      /** As they are from now on. Null: everything there is. */
      types: z.array(notificationTypeSchema).min(1).nullable(),
      /** As it is from now on. */
      text: privateText(endpointTextSchema),
    }),
    example: { ...example, types: ['job.completed'], text: exampleEncrypted },
  }),
  defineEvent({
    type: 'WebhookSecretRotated',
    summary: 'Messages are signed with a new secret, and for a day longer with the one that it replaces.',
    data: z.strictObject({ ...endpoint, secretVersion: z.int().min(2) }),
    example: { ...example, secretVersion: 2 },
  }),
  defineEvent({
    type: 'WebhookEndpointDisabled',
    summary: 'Nothing is sent there any more: it answered 410, failed for a week, or its owner said so.',
    data: z.strictObject({ ...endpoint, reason: z.enum(['gone', 'failing', 'owner']) }),
    example: { ...example, reason: 'failing' },
  }),
  defineEvent({
    type: 'WebhookEndpointEnabled',
    summary: 'Its owner wants to be notified there again.',
    data: z.strictObject(endpoint),
    example,
  }),
  defineEvent({
    type: 'WebhookEndpointRemoved',
    summary: 'Its owner removed the address for good.',
    data: z.strictObject(endpoint),
    example,
  }),
  defineEvent({
    type: 'NotifySecretIssued',
    summary: 'An account was shown the secret that messages to the notifyUrl of its jobs are signed with.',
    data: z.strictObject({ accountId: idSchema('account'), secretVersion: z.int().min(1) }),
    example: { accountId: example.accountId, secretVersion: 1 },
  }),
] as const;

export type WebhookFact = Exclude<FactOf<(typeof webhookEvents)[number]>, { type: 'NotifySecretIssued' }>;
export type NotifySecretFact = Extract<
  FactOf<(typeof webhookEvents)[number]>,
  { type: 'NotifySecretIssued' }
>;
