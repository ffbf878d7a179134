/**
 * Where a message goes, and the secrets that it is signed with now: the present one, and those that were replaced within
 * the last day.
 */
import { SECRET_OVERLAP_MS, secretsInForce } from '../../../commands/overlapping-secrets.ts';
import { notifySecretDecider } from '../../../commands/webhook/notify-secret.ts';
import { webhookDecider } from '../../../commands/webhook/webhook.ts';
import { LogContradiction } from '../../../events/event-store.ts';
import {
  type NotifySecretDocument,
  notifySecretsProjection,
  type WebhookEndpointDocument,
  webhookEndpointsProjection,
} from '../../../projections/webhook-endpoints.ts';
import { readView } from '../read-view.ts';
import type { Services } from '../services.ts';
import { webhookSecrets } from '../standard-webhooks.ts';
import { endpointTextOf } from './endpoint-text.ts';
import { streamIdOf } from '../../commanding/command-runner.ts';
import { projectStream } from '../../projecting/project-stream.ts';

type Reading = Pick<Services, 'views' | 'events' | 'commands' | 'signer' | 'privateTexts'>;

export interface Receiver {
  /** The newest first. */
  readonly secrets: readonly string[];
  /** Null: the one that the message was made for. */
  readonly url: string | null;
}

/** Null where the endpoint is disabled or removed: nothing is to be sent there. @throws {AccountKeysUnavailable} */
export async function receiverOf(
  services: Reading,
  endpointId: string,
  nowMs: number,
): Promise<Receiver | null> {
  if (endpointId.startsWith('acc_')) {
    const issued = await notifySecretOf(services, endpointId);
    return { secrets: await secretsOf(services, endpointId, issued, nowMs), url: null };
  }
  const endpoint = await enabledEndpoint(services, endpointId);
  if (endpoint === null) return null;
  const secrets = await secretsOf(services, endpointId, endpoint, nowMs);
  if (endpoint.changedAt === undefined) return { secrets, url: null };
  const text = await endpointTextOf(endpoint, services);
  return text === null ? null : { secrets, url: text.url };
}

async function secretsOf(
  services: Reading,
  endpointId: string,
  { secretVersion, secretSince }: Pick<NotifySecretDocument, 'secretVersion' | 'secretSince'>,
  nowMs: number,
): Promise<readonly string[]> {
  const isAlone = secretVersion === 1 || nowMs >= Date.parse(secretSince) + SECRET_OVERLAP_MS;
  const versions = isAlone ? [secretVersion] : await versionsOf(services, endpointId, nowMs);
  return versions.flatMap((version) =>
    webhookSecrets(services.signer, 'webhook-secret', endpointId, version),
  );
}

/** Its stream alone knows when each was issued. */
async function versionsOf(
  { commands }: Pick<Reading, 'commands'>,
  endpointId: string,
  nowMs: number,
): Promise<readonly number[]> {
  const at = new Date(nowMs).toISOString();
  if (endpointId.startsWith('acc_'))
    return secretsInForce((await commands.load(notifySecretDecider, endpointId, at)).state, at);
  const { state } = await commands.load(webhookDecider, endpointId, at);
  if (state.status === 'absent') throw new LogContradiction(`${endpointId} has secrets and is not there`);
  return secretsInForce(state.secrets, at);
}

/** That there is none, only the log can say: a view that is being made anew does not know of it yet. */
async function enabledEndpoint(
  { views, events }: Reading,
  endpointId: string,
): Promise<WebhookEndpointDocument | null> {
  const shown = await readView(views, webhookEndpointsProjection, endpointId);
  if (shown?.status === 'enabled') return shown;
  const streamId = streamIdOf(webhookDecider, endpointId);
  const written = await projectStream(events, webhookEndpointsProjection, streamId, endpointId);
  if (written === undefined && !(await hasBegun(events, streamId)))
    throw new LogContradiction(`${endpointId} is to be told and is not there`);
  return written?.status === 'enabled' ? written : null;
}

async function hasBegun(events: Reading['events'], streamId: string): Promise<boolean> {
  for await (const _first of events.read(streamId)) return true;
  return false;
}

async function notifySecretOf({ views, events }: Reading, accountId: string): Promise<NotifySecretDocument> {
  const shown = await readView(views, notifySecretsProjection, accountId);
  if (shown !== undefined) return shown;
  const streamId = streamIdOf(notifySecretDecider, accountId);
  return (await projectStream(events, notifySecretsProjection, streamId, accountId)) ?? FIRST;
}

/** Messages are signed before anybody asked for the secret: with the one that will be shown first. */
const FIRST: NotifySecretDocument = {
  secretVersion: 1,
  secretSince: '1970-01-01T00:00:00.000Z',
  madeBy: 'nobody',
};
