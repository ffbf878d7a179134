/** An address that an account is notified at, from the day it is added until it is removed. */
import { type RecentChanges, type TooManyChanges, tooManyChanges, withChange } from '../changes-a-day.ts';
import { accept, assertNever, type Decider, type Decision, reject } from '../decider.ts';
import { canonicalJson } from '../../events/canonical-json.ts';
import type { Occurred } from '../../events/event.ts';
import type { WebhookFact } from '../../events/webhook-events.ts';
import { type IssuedSecrets, nextVersion, type TooManySecrets, withSecret } from '../overlapping-secrets.ts';

type Added = Extract<WebhookFact, { type: 'WebhookEndpointAdded' }>['data'];
type DisableReason = Extract<WebhookFact, { type: 'WebhookEndpointDisabled' }>['data']['reason'];

export type WebhookCommand =
  | { readonly type: 'AddWebhookEndpoint'; readonly endpoint: Added }
  | ChangeWebhookEndpoint
  | { readonly type: 'RotateWebhookSecret' }
  | { readonly type: 'DisableWebhookEndpoint'; readonly reason: DisableReason }
  | { readonly type: 'EnableWebhookEndpoint' }
  | { readonly type: 'RemoveWebhookEndpoint' };

export interface ChangeWebhookEndpoint {
  readonly type: 'ChangeWebhookEndpoint';
  /** Null: everything there is. As they are, where absent. */
  readonly types?: Added['types'];
  /** As it is, where absent. What it was made from must be in force, since each text holds address and note. */
  readonly text?: { readonly from: Added['text']; readonly to: Added['text'] };
}

export interface ExistingWebhook {
  readonly status: 'enabled' | 'disabled' | 'removed';
  readonly endpoint: Added;
  readonly secrets: IssuedSecrets;
  /** When it was changed or enabled. */
  readonly changedAt: RecentChanges;
}

export type Webhook = { readonly status: 'absent' } | ExistingWebhook;

export type WebhookRejection =
  | { readonly kind: 'absent' }
  | { readonly kind: 'added' }
  /** Somebody else changed it since it was read. */
  | { readonly kind: 'changed_meanwhile' }
  | TooManySecrets
  | TooManyChanges;

type WebhookDecision = Decision<WebhookFact, WebhookRejection>;

export const webhookDecider: Decider<Webhook, WebhookCommand, WebhookFact, WebhookRejection> = {
  family: 'webhook',
  initial: { status: 'absent' },
  evolve,
  decide,
};

function evolve(webhook: Webhook, event: Occurred<WebhookFact>): Webhook {
  if (event.type === 'WebhookEndpointAdded')
    return { status: 'enabled', endpoint: event.data, secrets: withSecret([], 1, event.at), changedAt: [] };
  if (webhook.status === 'absent') return webhook;
  switch (event.type) {
    case 'WebhookEndpointChanged':
      return { ...webhook, endpoint: event.data, changedAt: withChange(webhook.changedAt, event.at) };
    case 'WebhookSecretRotated':
      return { ...webhook, secrets: withSecret(webhook.secrets, event.data.secretVersion, event.at) };
    case 'WebhookEndpointDisabled':
      return { ...webhook, status: 'disabled' };
    case 'WebhookEndpointEnabled':
      return { ...webhook, status: 'enabled', changedAt: withChange(webhook.changedAt, event.at) };
    case 'WebhookEndpointRemoved':
      return { ...webhook, status: 'removed' };
    default:
      return assertNever(event);
  }
}

/** What is as it should be already is left as it is; a removed address is like none. */
function decide(command: WebhookCommand, webhook: Webhook, at: string): WebhookDecision {
  if (command.type === 'AddWebhookEndpoint') {
    if (webhook.status !== 'absent') return reject({ kind: 'added' });
    return accept({ type: 'WebhookEndpointAdded', data: command.endpoint });
  }
  if (webhook.status === 'absent' || webhook.status === 'removed') return reject({ kind: 'absent' });
  const { endpointId, accountId } = webhook.endpoint;
  const data = { endpointId, accountId };
  switch (command.type) {
    case 'ChangeWebhookEndpoint':
      return unlessOften(change(command, webhook.endpoint), webhook, at);
    case 'RotateWebhookSecret': {
      const secretVersion = nextVersion(webhook.secrets, at);
      if (typeof secretVersion !== 'number') return reject(secretVersion);
      return accept({ type: 'WebhookSecretRotated', data: { ...data, secretVersion } });
    }
    case 'DisableWebhookEndpoint': {
      if (webhook.status === 'disabled') return accept();
      return accept({ type: 'WebhookEndpointDisabled', data: { ...data, reason: command.reason } });
    }
    case 'EnableWebhookEndpoint':
      if (webhook.status === 'enabled') return accept();
      return unlessOften(accept({ type: 'WebhookEndpointEnabled', data }), webhook, at);
    case 'RemoveWebhookEndpoint':
      return accept({ type: 'WebhookEndpointRemoved', data });
    default:
      return assertNever(command);
  }
}

/** What only stops is always done; a secret has a bound of its own. */
function unlessOften(decision: WebhookDecision, { changedAt }: ExistingWebhook, at: string): WebhookDecision {
  const often = tooManyChanges(changedAt, at);
  const isChange = decision.ok && decision.facts.length > 0;
  return isChange && often !== null ? reject(often) : decision;
}

function change({ types, text }: ChangeWebhookEndpoint, endpoint: Added): WebhookDecision {
  if (text !== undefined && canonicalJson(text.from) !== canonicalJson(endpoint.text))
    return reject({ kind: 'changed_meanwhile' });
  const data = {
    ...endpoint,
    ...(types === undefined ? {} : { types }),
    ...(text && { text: text.to }),
  };
  if (canonicalJson(data) === canonicalJson(endpoint)) return accept();
  return accept({ type: 'WebhookEndpointChanged', data });
}
