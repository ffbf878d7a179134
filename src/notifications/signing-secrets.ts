/** The secrets that a message is signed with now: the present one, and for a day after a change the one before. */
import { notifySecretsProjection, webhookEndpointsProjection } from '../../projections/webhook-endpoints.ts';
import { readView } from '../operations/read-view.ts';
import type { Services } from '../operations/services.ts';
import { webhookSecret } from '../operations/standard-webhooks.ts';

const OVERLAP_MS = 24 * 60 * 60 * 1_000;

type Reading = Pick<Services, 'views' | 'signer'>;

/** Null where the endpoint is disabled or removed: nothing is to be sent there. */
export async function secretsOf(
  services: Reading,
  endpointId: string,
  nowMs: number,
): Promise<readonly string[] | null> {
  const known = endpointId.startsWith('acc_')
    ? ((await readView(services.views, notifySecretsProjection, endpointId)) ?? FIRST)
    : await readView(services.views, webhookEndpointsProjection, endpointId);
  if (known === undefined || ('status' in known && known.status !== 'enabled')) return null;
  const { secretVersion, secretSince } = known;
  const isFresh = secretVersion > 1 && nowMs < Date.parse(secretSince) + OVERLAP_MS;
  const versions = isFresh ? [secretVersion, secretVersion - 1] : [secretVersion];
  return versions.map((version) => webhookSecret(services.signer, 'webhook-secret', endpointId, version));
}

/** Messages are signed before anybody asked for the secret: with the one that will be shown first. */
const FIRST = { secretVersion: 1, secretSince: '1970-01-01T00:00:00.000Z' };
