import { webhookDecider } from '../../../commands/webhook/webhook.ts';
import {
  type WebhookEndpointDocument,
  webhookEndpointsProjection,
} from '../../../projections/webhook-endpoints.ts';
import { streamIdOf } from '../../commanding/command-runner.ts';
import { projectStream } from '../../projecting/project-stream.ts';
import type { Services } from '../services.ts';
import { isEndpointOf } from './change-endpoint.ts';

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
