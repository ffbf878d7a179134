/** What the owner of an account does with its endpoints; for the REST API, the command line and the dashboard alike. */
import { assertNever } from '../../../commands/decider.ts';
import {
  type WebhookCommand,
  webhookDecider,
  type WebhookRejection,
} from '../../../commands/webhook/webhook.ts';
import { LogContradiction } from '../../../events/event-store.ts';
import { idFrom, timeOf } from '../../../events/ids.ts';
import type { EndpointText, NotificationType } from '../../../events/webhook-events.ts';
import { accountEndpointsProjection } from '../../../projections/account-endpoints.ts';
import {
  type WebhookEndpointDocument,
  webhookEndpointsProjection,
} from '../../../projections/webhook-endpoints.ts';
import type { CommandCall } from '../../commanding/command-call.ts';
import { streamIdOf } from '../../commanding/command-runner.ts';
import { projectStream } from '../../projecting/project-stream.ts';
import { afterEffect } from '../after-effect.ts';
import { idempotencyMismatch, privateCall } from '../idempotency.ts';
import { ofEndpoint } from '../private-texts/private-texts.ts';
import { refuse, type Refused } from '../refusals.ts';
import { readView } from '../read-view.ts';
import type { Services } from '../services.ts';
import { webhookSecret } from '../standard-webhooks.ts';
import { takePlace, type WantedPlace } from '../take-place.ts';
import { tooMany, tooManyChanges, tooManySecrets } from '../too-many.ts';
import { unlessShown } from '../unless-shown.ts';
import { endpointTextOf } from '../notifications/endpoint-text.ts';
import type { ShownEndpoint } from './endpoint-schema.ts';

type Changing = Pick<Services, 'commands' | 'events' | 'views' | 'signer' | 'privateTexts'>;
type Adding = Changing & Pick<Services, 'limits'>;

export type ChangedEndpoint =
  | {
      readonly ok: true;
      readonly endpoint: ShownEndpoint;
      /** Null where the account's key was erased. */
      readonly text: EndpointText | null;
      /** The secret of the version in force: to be shown when it is new. */
      readonly secret: string;
      readonly replayed: boolean;
    }
  | Refused;

export interface WantedEndpoint {
  readonly url: string;
  readonly types: readonly NotificationType[] | null;
  readonly description: string;
}

export async function addEndpoint(
  services: Adding,
  accountId: string,
  { url, types, description }: WantedEndpoint,
  call: CommandCall,
): Promise<ChangedEndpoint> {
  // Of the account's time, not of now: the same command again must find the stream that it began.
  const endpointId = idFrom('webhookEndpoint', timeOf(accountId), `${accountId} ${call.commandId}`);
  const cipher = await services.privateTexts.cipherOf(accountId);
  if (cipher === null) return refuse('conflict', 'the account was erased');
  const { state } = await services.commands.load(webhookDecider, endpointId, call.at);
  if (state.status === 'absent' && !(await hasPlace(services, accountId, endpointId, call)))
    return tooManyEndpoints(services.limits.webhookEndpoints);
  const text = cipher.encrypt(ofEndpoint(endpointId), JSON.stringify({ url, description }));
  const endpoint = { endpointId, accountId, types: types === null ? null : [...types], text };
  return runOnEndpoint(
    services,
    endpointId,
    { type: 'AddWebhookEndpoint', endpoint },
    privateCall(call, cipher),
  );
}

async function hasPlace(
  { commands, views, limits }: Adding,
  accountId: string,
  endpointId: string,
  call: CommandCall,
): Promise<boolean> {
  const wanted: WantedPlace = {
    kind: 'webhook-endpoints',
    owner: accountId,
    holder: endpointId,
    limit: limits.webhookEndpoints,
    async standing() {
      const known = await readView(views, accountEndpointsProjection, accountId);
      return known?.endpoints.map((endpoint) => endpoint.endpointId) ?? [];
    },
    async fateOf(holder) {
      const { state } = await commands.load(webhookDecider, holder, call.at);
      if (state.status === 'absent') return 'never made';
      return state.status === 'removed' ? 'gone' : 'stands';
    },
  };
  return takePlace({ commands }, wanted, call);
}

function tooManyEndpoints(limit: number): Refused {
  const message = `An account has at most ${limit} webhook endpoints: remove one first.`;
  return tooMany(message, limit, 'account', 'webhook endpoints are limited');
}

/** What is asked for by its name alone. */
export type EndpointChange = Exclude<WebhookCommand['type'], 'AddWebhookEndpoint' | 'ChangeWebhookEndpoint'>;

/** An endpoint of somebody else looks like none. */
export async function changeEndpoint(
  services: Changing,
  accountId: string,
  endpointId: string,
  type: EndpointChange,
  call: CommandCall,
): Promise<ChangedEndpoint> {
  if (!(await isEndpointOf(services, accountId, endpointId, call.at))) return noSuchEndpoint(endpointId);
  const command = type === 'DisableWebhookEndpoint' ? ({ type, reason: 'owner' } as const) : { type };
  return runOnEndpoint(services, endpointId, command, call);
}

/** Also of one that was removed: what was sent there stays on record. */
export async function isEndpointOf(
  { commands, views }: Pick<Services, 'commands' | 'views'>,
  accountId: string,
  endpointId: string,
  at: string,
): Promise<boolean> {
  const { state } = await commands.load(webhookDecider, endpointId, at);
  if (state.status !== 'absent') return state.endpoint.accountId === accountId;
  await unlessShown(views, webhookEndpointsProjection, endpointId);
  return false;
}

/** The endpoint as its stream has it now; null where it is removed, or somebody else's. */
export async function readEndpoint(
  services: Pick<Services, 'commands' | 'events' | 'views'>,
  accountId: string,
  endpointId: string,
  at: string,
): Promise<WebhookEndpointDocument | null> {
  if (!(await isEndpointOf(services, accountId, endpointId, at))) return null;
  const streamId = streamIdOf(webhookDecider, endpointId);
  const { events } = services;
  return (await projectStream(events, webhookEndpointsProjection, streamId, endpointId)) ?? null;
}

export function noSuchEndpoint(endpointId: string): Refused {
  return refuse('not_found', `there is no endpoint ${endpointId} among yours`);
}

/** Runs the command, whosever endpoint it is, and answers with the endpoint right after it. */
export async function runOnEndpoint(
  services: Changing,
  endpointId: string,
  command: WebhookCommand,
  call: CommandCall,
): Promise<ChangedEndpoint> {
  const outcome = await services.commands.run(webhookDecider, endpointId, command, call);
  if (outcome.kind === 'mismatch') return idempotencyMismatch();
  if (outcome.kind === 'rejected') return refused(endpointId, outcome.rejection);
  const { revision } = outcome;
  // What removes an endpoint leaves no document: it is shown as it was, but for its status.
  const isRemoval = command.type === 'RemoveWebhookEndpoint';
  const upTo = isRemoval ? revision - 1 : revision;
  const streamId = streamIdOf(webhookDecider, endpointId);
  const { events } = services;
  const document = await afterEffect(
    projectStream(events, webhookEndpointsProjection, streamId, endpointId, upTo),
  );
  if (document === undefined) throw new LogContradiction(`${endpointId} was changed and is not there`);
  const endpoint: ShownEndpoint = isRemoval ? { ...document, status: 'removed' } : document;
  const text = await afterEffect(endpointTextOf(document, services));
  const secret = webhookSecret(services.signer, 'webhook-secret', endpointId, endpoint.secretVersion);
  return { ok: true, endpoint, text, secret, replayed: outcome.kind === 'replayed' };
}

function refused(endpointId: string, rejection: WebhookRejection): Refused {
  switch (rejection.kind) {
    case 'absent':
    case 'added':
      return noSuchEndpoint(endpointId);
    case 'too_many_secrets':
      return tooManySecrets(rejection);
    case 'changed_meanwhile':
      return refuse('conflict', 'the endpoint was changed by somebody else at the same time: try again');
    case 'too_many_changes':
      return tooManyChanges('endpoint', rejection);
    default:
      return assertNever(rejection);
  }
}
