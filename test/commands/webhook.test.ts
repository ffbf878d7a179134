import { exampleOf } from '../../events/catalog.ts';
import { webhookDecider } from '../../commands/webhook/webhook.ts';
import type { Occurred } from '../../events/event.ts';
import { type WebhookFact } from '../../events/webhook-events.ts';
import { scenarios } from '../support/given-when-then.ts';

const AT = '2026-11-27T09:30:00.000Z';
const given = scenarios(webhookDecider);
const endpoint = {
  ...exampleOf('WebhookEndpointAdded'),
  text: { clear: { url: 'https://old.example/', description: '' } },
};
const added: Occurred<WebhookFact> = { type: 'WebhookEndpointAdded', data: endpoint, at: AT };
const to = { clear: { url: 'https://new.example/', description: 'moved' } };
const move = { type: 'ChangeWebhookEndpoint', text: { from: endpoint.text, to } } as const;
const moved = { type: 'WebhookEndpointChanged', data: { ...endpoint, text: to } } as const;

describe('A webhook endpoint', () => {
  it('is changed in what is wanted, and stays as it is otherwise', () => {
    given(added).when(move, AT).thenFacts(moved);
    given(added, { ...moved, at: AT })
      .when({ type: 'ChangeWebhookEndpoint', types: null }, AT)
      .thenFacts({ type: 'WebhookEndpointChanged', data: { ...moved.data, types: null } });
  });

  it('keeps what somebody else changed meanwhile', () => {
    given(added, { ...moved, at: AT })
      .when(move, AT)
      .thenRejected({ kind: 'changed_meanwhile' });
  });

  it('is left as it is by a change of nothing', () => {
    given(added).when({ type: 'ChangeWebhookEndpoint' }, AT).thenNothing();
  });

  it('cannot be changed once it is removed', () => {
    const { endpointId, accountId } = endpoint;
    const removed = { type: 'WebhookEndpointRemoved', data: { endpointId, accountId }, at: AT } as const;
    given(added, removed).when(move, AT).thenRejected({ kind: 'absent' });
    given().when(move, AT).thenRejected({ kind: 'absent' });
  });
});
