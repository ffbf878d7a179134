/** What an account is told of, and that what was interrupted is told all the same. */
import { expect } from 'chai';
import { decodeEvent } from '../../events/catalog.ts';
import { NOTIFICATION_TYPES } from '../../events/webhook-events.ts';
import { alertsOf, type MandateEvent } from '../../src/operations/notifications/mandate-alerts.ts';
import { TOLD_OF } from '../../src/operations/notifications/message.ts';
import type { TestKey } from '../support/api.ts';
import { readAll } from '../support/event-log.ts';
import { AGENT, type JobApi, startJobApi } from '../support/job-flows.ts';

describe('What an account can be told of a job', () => {
  it('has an event for each type that can be asked for, under the name of that event', () => {
    const types = NOTIFICATION_TYPES.filter((type) => type.startsWith('job.'));
    expect(Object.values(TOLD_OF)).to.have.members(types);
    for (const [event, type] of Object.entries(TOLD_OF)) {
      const words = event.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).slice(1);
      expect(type, event).to.equal(`job.${words.replace(/^(job|trial)_/, '')}`);
    }
  });
});

describe('What an account is told of a mandate', () => {
  let api: JobApi;
  let key: TestKey;
  before(async () => (api = await startJobApi()));
  after(() => api.close());
  beforeEach(async () => {
    key = await api.newKey({ terms: { maxMonthlyCents: 1_900, maxPerTransactionCents: 1_900 } });
  });

  const buy = () => api.post('/v1/trials', { agent: AGENT, brief: 'Match.' }, key);
  const eventsOf = async (stream: string): Promise<readonly MandateEvent[]> =>
    (await readAll(api.services.events, stream))
      .map(decodeEvent)
      .filter((event): event is MandateEvent => ['MandateSpent', 'SpendDenied'].includes(event.type));
  const alerts = (event: MandateEvent | undefined, isWanted = true) => {
    if (event === undefined) throw new Error('nothing happened');
    return alertsOf(api.services, event, async () => isWanted);
  };

  it('is told again of the same event, at its own time, and of no other in the same month', async () => {
    await buy();
    const [spent] = await eventsOf(`mandate-${key.mandateId}`);
    const told = await alerts(spent);
    expect(told.map(({ body, part }) => [JSON.parse(body).data.percent, part])).to.deep.equal([
      [80, ' 80'],
      [100, ' 100'],
    ]);
    for (const { body } of told) expect(JSON.parse(body).timestamp).to.equal(spent?.at);
    expect(await alerts(spent)).to.deep.equal(told);
    if (spent === undefined) throw new Error('nothing was spent');
    const other = spent.id.endsWith('z') ? 'y' : 'z';
    expect(await alerts({ ...spent, id: spent.id.slice(0, -1) + other })).to.deep.equal([]);
  });

  it('is told of a denial where it is wanted, and what nobody wants is not put on record', async () => {
    await buy();
    await buy();
    const [denied] = await eventsOf(`denials-${key.mandateId}`);
    const recorded = async () => (await readAll(api.services.events, `alerts-${key.mandateId}`)).length;
    expect(await alerts(denied, false)).to.deep.equal([]);
    expect(await recorded()).to.equal(0);
    const told = await alerts(denied);
    expect(told).to.have.lengthOf(1);
    expect(JSON.parse(told[0]?.body ?? '').timestamp).to.equal(denied?.at);
    expect(await alerts(denied), 'interrupted and taken once more').to.deep.equal(told);
    expect(await recorded()).to.equal(1);
  });
});
