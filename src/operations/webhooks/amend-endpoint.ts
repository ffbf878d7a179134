/** Changes where an endpoint is, what it is told of, or the note, and leaves its secret and its log as they are. */
import { webhookDecider } from '../../../commands/webhook/webhook.ts';
import type { CommandCall } from '../../commanding/command-call.ts';
import { privateCall } from '../idempotency.ts';
import { ofEndpoint } from '../private-texts/private-texts.ts';
import { refuse } from '../refusals.ts';
import type { Services } from '../services.ts';
import {
  type ChangedEndpoint,
  isEndpointOf,
  noSuchEndpoint,
  runOnEndpoint,
  type WantedEndpoint,
} from './change-endpoint.ts';
import { endpointTextOf } from '../notifications/endpoint-text.ts';

/** What is absent stays as it is. */
export type EndpointAmendment = {
  readonly [Name in keyof WantedEndpoint]?: WantedEndpoint[Name] | undefined;
};

type Amending = Pick<Services, 'commands' | 'events' | 'views' | 'signer' | 'privateTexts'>;

export async function amendEndpoint(
  services: Amending,
  accountId: string,
  endpointId: string,
  { types, ...wanted }: EndpointAmendment,
  call: CommandCall,
): Promise<ChangedEndpoint> {
  if (!(await isEndpointOf(services, accountId, endpointId, call.at))) return noSuchEndpoint(endpointId);
  const cipher = await services.privateTexts.cipherOf(accountId);
  if (cipher === null) return refuse('conflict', 'the account was erased');
  const { state } = await services.commands.load(webhookDecider, endpointId, call.at);
  if (state.status === 'absent') return noSuchEndpoint(endpointId);
  const from = state.endpoint.text;
  const known = await endpointTextOf(state.endpoint, services);
  if (known === null) return refuse('conflict', 'the account was erased');
  const { url = known.url, description = known.description } = wanted;
  const isOther = url !== known.url || description !== known.description;
  const text = isOther && {
    text: { from, to: cipher.encrypt(ofEndpoint(endpointId), JSON.stringify({ url, description })) },
  };
  const change = {
    type: 'ChangeWebhookEndpoint',
    ...(types === undefined ? {} : { types: types === null ? null : [...types] }),
    ...text,
  } as const;
  return runOnEndpoint(services, endpointId, change, privateCall(call, cipher));
}
