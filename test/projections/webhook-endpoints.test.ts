/** Who changed where messages go stays on the endpoint, whoever changes its note afterwards. */
import { expect } from 'chai';
import { type WebhookCommand, webhookDecider } from '../../commands/webhook/webhook.ts';
import { idFrom } from '../../events/ids.ts';
import { replay } from '../../projections/replay.ts';
import { webhookEndpointsProjection } from '../../projections/webhook-endpoints.ts';
import { inLogOrder, streamOf } from '../../src/operations/directory/example-history.ts';

const AT = '2026-11-27T09:30:00.000Z';
const endpointId = idFrom('webhookEndpoint', AT, 'erp');
const textNamed = (description: string) => ({ clear: { url: 'https://erp.example/', description } });

const hoursLater = (hours: number) => new Date(Date.parse(AT) + hours * 3_600_000).toISOString();

/** An endpoint whose note these changed, one after another; and its types, another. */
function changersAfter(actors: readonly string[]): readonly string[] | undefined {
  const added = { endpointId, accountId: idFrom('account', AT, 'a'), types: null, text: textNamed('0') };
  const changes = actors.map((_actor, index): WebhookCommand => {
    const text = { from: textNamed(`${index}`), to: textNamed(`${index + 1}`) };
    return { type: 'ChangeWebhookEndpoint', types: null, text };
  });
  const commands: WebhookCommand[] = [
    { type: 'AddWebhookEndpoint', endpoint: added },
    ...changes,
    { type: 'ChangeWebhookEndpoint', types: ['job.failed'] },
  ];
  // An hour apart: there are not so many in one day.
  const timed = commands.map((command, hours) => [hoursLater(hours), command] as const);
  const stream = streamOf(webhookDecider, endpointId, ...timed);
  const history = inLogOrder(stream).map((event, index) => ({
    ...event,
    meta: { ...event.meta, actor: ['key:adder', ...actors][index] ?? 'key:types' },
  }));
  return replay(webhookEndpointsProjection, history).get(endpointId)?.changedBy;
}

describe('The view of webhook endpoints', () => {
  it('says nothing of changers where address and note are as they were added', () => {
    expect(changersAfter([])).to.equal(undefined);
  });

  it('has each changer once, the last at its end', () => {
    expect(changersAfter(['key:a', 'key:b', 'key:c', 'key:a'])).to.deep.equal(['key:b', 'key:c', 'key:a']);
  });

  it('has the last hundred of them', () => {
    const actors = Array.from({ length: 101 }, (_, index) => `key:${index}`);
    expect(changersAfter(actors)).to.deep.equal(actors.slice(1));
  });
});
