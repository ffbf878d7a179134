/** The address of an endpoint and its owner's note, which only the account's key reads. */
import type { EndpointText } from '../../../events/webhook-events.ts';
import type { WebhookEndpointDocument } from '../../../projections/webhook-endpoints.ts';
import { ofEndpoint } from '../private-texts/private-texts.ts';
import type { Services } from '../services.ts';

/** Null where the account's key was erased. @throws {AccountKeysUnavailable} */
export function endpointTextOf(
  { accountId, endpointId, text }: Pick<WebhookEndpointDocument, 'accountId' | 'endpointId' | 'text'>,
  { privateTexts }: Pick<Services, 'privateTexts'>,
): Promise<EndpointText | null> {
  return privateTexts.read<EndpointText>(accountId, ofEndpoint(endpointId), text);
}
