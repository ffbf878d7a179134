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
    given(added).when({ type: 'ChangeWebhookEndpoint', types: endpoint.types }, AT).thenNothing();
  });

  it('is changed and enabled a hundred times in a day and no more, and can be stopped all the same', () => {
    const { endpointId, accountId } = endpoint;
    const own = { endpointId, accountId };
    const minute = (n: number) => new Date(Date.parse(AT) + n * 60_000).toISOString();
    const changes = Array.from({ length: 50 }, (_, n): Occurred<WebhookFact>[] => [
      { type: 'WebhookEndpointChanged', data: endpoint, at: minute(n) },
      { type: 'WebhookEndpointDisabled', data: { ...own, reason: 'owner' }, at: minute(n) },
      { type: 'WebhookEndpointEnabled', data: own, at: minute(n) },
    ]).flat();
    const day = 24 * 60;
    const refused = { kind: 'too_many_changes', until: minute(day) } as const;
    given(added, ...changes)
      .when(move, minute(day - 1))
      .thenRejected(refused);
    given(added, ...changes)
      .when(move, minute(day))
      .thenFacts(moved);
    const disable = { type: 'DisableWebhookEndpoint', reason: 'owner' } as const;
    const disabled = { type: 'WebhookEndpointDisabled', data: { ...own, reason: 'owner' } } as const;
    given(added, ...changes)
      .when(disable, minute(day - 1))
      .thenFacts(disabled);
    given(added, ...changes, { ...disabled, at: minute(50) })
      .when({ type: 'EnableWebhookEndpoint' }, minute(day - 1))
      .thenRejected(refused);
    given(added, ...changes)
      .when({ type: 'EnableWebhookEndpoint' }, minute(day - 1))
      .thenNothing();
  });

  it('cannot be changed once it is removed', () => {
    const { endpointId, accountId } = endpoint;
    const removed = { type: 'WebhookEndpointRemoved', data: { endpointId, accountId }, at: AT } as const;
    given(added, removed).when(move, AT).thenRejected({ kind: 'absent' });
    given().when(move, AT).thenRejected({ kind: 'absent' });
  });
});
