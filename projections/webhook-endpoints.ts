/** Where each account is notified, and the versions of the secrets that its messages are signed with. */
import { z } from 'zod';
import { orderedJson } from '../events/canonical-json.ts';
import { endpointTextSchema, NOTIFICATION_TYPES } from '../events/webhook-events.ts';
import { privateText } from '../events/private-text.ts';
import { changes, creates, defineProjection, on } from './projection.ts';

/** As many keys as an account may have that work. Of more the earliest are forgotten. */
const MAX_CHANGERS = 100;

const endpointSchema = z.strictObject({
  endpointId: z.string(),
  accountId: z.string(),
  types: z.array(z.enum(NOTIFICATION_TYPES)).nullable(),
  /** The address and the owner's note, as the event has them. */
  text: privateText(endpointTextSchema),
  status: z.enum(['enabled', 'disabled']),
  disabledReason: z.enum(['gone', 'failing', 'owner']).nullable(),
  secretVersion: z.int(),
  /** Who added it: `key:key_…` or `cli`. */
  madeBy: z.string(),
  /** Who asked for the secret that is in force. */
  secretMadeBy: z.string(),
  /** Since when the secret is this one: the one before counts for a day longer. */
  secretSince: z.string(),
  createdAt: z.string(),
  /** When its address, types or note were changed last; absent where they are as they were added. */
  changedAt: z.string().optional(),
  /**
   * Whoever changed its address or note, each once, who did so last at the end; absent where both are as they were
   * added. Which of the two it was is not to be seen: both are one sealed text.
   */
  changedBy: z.array(z.string()).max(MAX_CHANGERS).optional(),
});
export type WebhookEndpointDocument = z.output<typeof endpointSchema>;

export const webhookEndpointsProjection = defineProjection<WebhookEndpointDocument>({
  name: 'webhook-endpoints',
  version: 6,
  summary: 'The addresses that each account is notified at.',
  schema: endpointSchema,
  fields: { accountId: 'text', status: 'text', createdAt: 'text' },
  orders: { createdAt: [{ field: 'createdAt', direction: 'asc' }] },
  index: ({ accountId, status, createdAt }) => ({ accountId, status, createdAt }),
  on: {
    WebhookEndpointAdded: creates('endpointId', ({ data, at, meta }) => ({
      ...data,
      status: 'enabled',
      disabledReason: null,
      secretVersion: 1,
      madeBy: meta.actor,
      secretMadeBy: meta.actor,
      secretSince: at,
      createdAt: at,
    })),
    WebhookEndpointChanged: changes('endpointId', (endpoint, { data: { types, text }, at, meta }) => {
      // A text that stays is handed on as it stands: who changes the types alone did not say where messages go.
      const isOldText = orderedJson(text) === orderedJson(endpoint.text);
      const changed = { types, text, changedAt: at };
      return isOldText ? changed : { ...changed, changedBy: withLast(endpoint.changedBy, meta.actor) };
    }),
    WebhookSecretRotated: changes('endpointId', (_, { data, at, meta }) => ({
      secretVersion: data.secretVersion,
      secretMadeBy: meta.actor,
      secretSince: at,
    })),
    WebhookEndpointDisabled: changes('endpointId', (_, { data }) => ({
      status: 'disabled',
      disabledReason: data.reason,
    })),
    WebhookEndpointEnabled: changes('endpointId', () => ({ status: 'enabled', disabledReason: null })),
    WebhookEndpointRemoved: on('endpointId', () => undefined),
  },
});

function withLast(changers: readonly string[] = [], actor: string): string[] {
  return [...changers.filter((one) => one !== actor), actor].slice(-MAX_CHANGERS);
}

const notifySecretSchema = z.strictObject({
  secretVersion: z.int(),
  secretSince: z.string(),
  /** Who asked for it. */
  madeBy: z.string(),
});
export type NotifySecretDocument = z.output<typeof notifySecretSchema>;

export const notifySecretsProjection = defineProjection<NotifySecretDocument>({
  name: 'notify-secrets',
  version: 2,
  summary: 'Which secret messages to the notifyUrl of an account’s jobs are signed with.',
  schema: notifySecretSchema,
  on: {
    NotifySecretIssued: on('accountId', (_secret, { data, at, meta }) => ({
      secretVersion: data.secretVersion,
      secretSince: at,
      madeBy: meta.actor,
    })),
  },
});
