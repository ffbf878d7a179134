/** Where an account is to be told of something is known by one look at its document. */
import { expect } from 'chai';
import { type WebhookCommand, webhookDecider } from '../../commands/webhook/webhook.ts';
import type { NotificationType } from '../../events/webhook-events.ts';
import { idFrom } from '../../events/ids.ts';
import { type AccountEndpoint, accountEndpointsProjection } from '../../projections/account-endpoints.ts';
import { replay } from '../../projections/replay.ts';
import { inLogOrder, streamOf } from '../../src/operations/directory/example-history.ts';

const AT = '2026-11-27T09:30:00.000Z';
const accountId = idFrom('account', AT, 'the account');
const endpointIdOf = (name: string): string => idFrom('webhookEndpoint', AT, name);

/** An endpoint that was added, and what was done to it then. */
function endpoint(
  name: string,
  then: readonly WebhookCommand[] = [],
  { types = null, account = accountId }: { types?: NotificationType[] | null; account?: string } = {},
) {
  const endpointId = endpointIdOf(name);
  const url = `https://${name}.example/hooks`;
  const added = { endpointId, accountId: account, types, text: { clear: { url, description: '' } } };
  const commands = [{ type: 'AddWebhookEndpoint', endpoint: added } as const, ...then];
  return streamOf(webhookDecider, endpointId, ...commands.map((command) => [AT, command] as const));
}

function endpointsAfter(...streams: ReturnType<typeof endpoint>[]): readonly AccountEndpoint[] | undefined {
  return replay(accountEndpointsProjection, inLogOrder(...streams)).get(accountId)?.endpoints;
}

const shown = (name: string, more: Partial<AccountEndpoint> = {}): AccountEndpoint => ({
  endpointId: endpointIdOf(name),
  text: { clear: { url: `https://${name}.example/hooks`, description: '' } },
  types: null,
  isEnabled: true,
  ...more,
});
const disable = { type: 'DisableWebhookEndpoint', reason: 'failing' } as const;
const enable = { type: 'EnableWebhookEndpoint' } as const;
const remove = { type: 'RemoveWebhookEndpoint' } as const;

describe('The view of the endpoints of an account', () => {
  it('has them in the order in which they were added, with what each wants to be told of', () => {
    expect(endpointsAfter(endpoint('erp', [], { types: ['job.failed'] }), endpoint('chat'))).to.deep.equal([
      shown('erp', { types: ['job.failed'] }),
      shown('chat'),
    ]);
  });

  it('knows which of them are told nothing for now', () => {
    expect(endpointsAfter(endpoint('erp', [disable]), endpoint('chat', [disable, enable]))).to.deep.equal([
      shown('erp', { isEnabled: false }),
      shown('chat'),
    ]);
  });

  it('has each where its owner moved it to, and for what it is told of since', () => {
    const from = shown('erp').text;
    const to = { clear: { url: 'https://new.example/', description: 'moved' } };
    const moved: WebhookCommand = {
      type: 'ChangeWebhookEndpoint',
      types: ['job.failed'],
      text: { from, to },
    };
    const everything = { type: 'ChangeWebhookEndpoint', types: null } as const;
    expect(endpointsAfter(endpoint('erp', [moved, disable]))).to.deep.equal([
      shown('erp', { text: to, types: ['job.failed'], isEnabled: false }),
    ]);
    expect(endpointsAfter(endpoint('erp', [moved, everything]))).to.deep.equal([shown('erp', { text: to })]);
  });

  it('forgets one that was removed, and the account with the last', () => {
    expect(endpointsAfter(endpoint('erp', [remove]), endpoint('chat'))).to.deep.equal([shown('chat')]);
    expect(endpointsAfter(endpoint('erp', [disable, remove]))).to.equal(undefined);
  });

  it('keeps accounts apart', () => {
    const other = idFrom('account', AT, 'another');
    expect(endpointsAfter(endpoint('erp'), endpoint('foreign', [], { account: other }))).to.deep.equal([
      shown('erp'),
    ]);
  });
});
