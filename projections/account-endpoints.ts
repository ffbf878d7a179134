/** Where each account is notified, in one document: every event of a job asks for that. */
import { z } from 'zod';
import { privateText } from '../events/private-text.ts';
import { endpointTextSchema, NOTIFICATION_TYPES } from '../events/webhook-events.ts';
import { defineProjection, type Handler, on } from './projection.ts';

const accountEndpointSchema = z.strictObject({
  endpointId: z.string(),
  text: privateText(endpointTextSchema),
  /** Null: everything there is. */
  types: z.array(z.enum(NOTIFICATION_TYPES)).nullable(),
  isEnabled: z.boolean(),
});
export type AccountEndpoint = z.output<typeof accountEndpointSchema>;

/** In the order in which they were added. An account without any has no document. */
const accountEndpointsSchema = z.strictObject({ endpoints: z.array(accountEndpointSchema) });
export type AccountEndpointsDocument = z.output<typeof accountEndpointsSchema>;

export const accountEndpointsProjection = defineProjection<AccountEndpointsDocument>({
  name: 'account-endpoints',
  version: 3,
  summary: 'All addresses of an account, for what is to be told there.',
  schema: accountEndpointsSchema,
  on: {
    WebhookEndpointAdded: on('accountId', (account, { data: { endpointId, text, types } }) => ({
      endpoints: [...(account?.endpoints ?? []), { endpointId, text, types, isEnabled: true }],
    })),
    WebhookEndpointChanged: changing((endpoint, { types, text }) => ({ ...endpoint, types, text })),
    WebhookEndpointDisabled: changing((endpoint) => ({ ...endpoint, isEnabled: false })),
    WebhookEndpointEnabled: changing((endpoint) => ({ ...endpoint, isEnabled: true })),
    WebhookEndpointRemoved: changing(() => null),
  },
});

interface OfEndpoint {
  readonly data: { readonly accountId: string; readonly endpointId: string };
}

/** Changes the endpoint of the event, or (null) takes it out. */
function changing<Event extends OfEndpoint>(
  change: (endpoint: AccountEndpoint, data: Event['data']) => AccountEndpoint | null,
): Handler<AccountEndpointsDocument, Event> {
  return on('accountId', (account, { data }) => {
    const endpoints = (account?.endpoints ?? []).flatMap((endpoint) => {
      const after = endpoint.endpointId === data.endpointId ? change(endpoint, data) : endpoint;
      return after === null ? [] : [after];
    });
    return endpoints.length === 0 ? undefined : { endpoints };
  });
}
