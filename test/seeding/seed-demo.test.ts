import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { authenticate } from '../../src/calling/authenticate.ts';
import { type DataSetDocument, dataSets } from '../../projections/data-sets.ts';
import { readModel } from '../../projections/model-document.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import type { Services } from '../../src/operations/services.ts';
import { planOf } from '../../src/operations/plans/change-plan.ts';
import { parseDocument } from '../../projections/stored-document.ts';
import { seedCatalogue } from '../../src/seeding/seed-catalogue.ts';
import { DEMO_KEY_ID, type DemoSeeding, fillDemo } from '../../src/seeding/seed-demo.ts';
import { openMemoryMarket } from '../support/memory-market.ts';

const CATALOGUE = new URL('../../infra/seeds/catalogue/', import.meta.url);

const AT = '2026-11-27T09:30:00.000Z';

async function seedDemo(
  services: Services,
  show: (lines: readonly string[]) => void = () => {},
): Promise<DemoSeeding> {
  const filling = await fillDemo(services, AT);
  return filling.kind === 'filled' ? filling.makeKey(show) : filling;
}

describe('The demonstration key', () => {
  it('is shown before it is made, and may all that the documents do with a buyer’s key', async () => {
    const { services, close } = await openMemoryMarket({ events: memoryEventStore() });
    const shown: string[] = [];
    const keysThen: boolean[] = [];
    const show = (lines: readonly string[]): void => {
      shown.push(...lines);
      keysThen.push(services.commands.knownRevision(`key-${DEMO_KEY_ID}`) >= 0);
    };
    const seeding = await seedDemo(services, show);
    if (seeding.kind !== 'seeded') throw new Error(seeding.kind);
    expect(keysThen).to.deep.equal([false]);
    expect(shown.join('\n')).to.include(seeding.buyer.key).and.include(DEMO_KEY_ID);
    await services.projector.caughtUp();
    const held = await authenticate(services, { apiKey: seeding.buyer.key }, new Date().toISOString());
    if (!held.ok) throw new Error('the key does not work');
    expect(held.caller.scopes).to.include.members([
      'webhooks:manage',
      'keys:manage',
      'mandate:read',
      'data:read',
    ]);
    await close();
  });
});

describe('The demonstration catalogue', () => {
  it('fills four data sets, and the demonstration account has the plan Starter', async () => {
    const { services, close } = await openMemoryMarket({ events: memoryEventStore() });
    const seeding = await seedDemo(services);
    if (seeding.kind !== 'seeded') throw new Error(seeding.kind);
    await services.projector.caughtUp();
    const query = { filter: {}, order: 'dataset', limit: 100 };
    const { rows } = await services.views.page(dataSets.name, query);
    const sets = rows.map((row) => parseDocument<DataSetDocument>(row));
    const { accountId } = seeding.buyer;
    expect(sets.map(({ dataset, listed }) => [dataset, listed])).to.deep.equal([
      ['directory/agent-harbour/connectors', 16],
      ['directory/prompt-yard/skills', 12],
      ['models', 12],
      ['tools', 40],
    ]);
    expect(seeding.report.rows).to.equal(80);
    expect(await planOf(services, accountId, AT)).to.equal('starter');
    expect(await oddModels()).to.deep.equal([]);
    await close();
  });

  it('goes on where it was broken off, and adds nothing twice', async () => {
    const events = memoryEventStore();
    const { services, close } = await openMemoryMarket({ events });
    const cause = { at: AT, actor: 'seed', requestId: 'seed' };
    const folder = fileURLToPath(CATALOGUE);
    const stopping = new AbortController();
    stopping.abort();
    expect(await seedCatalogue(services, folder, cause, stopping.signal)).to.equal(null);
    expect(await events.head()).to.equal(null);
    expect(await seedCatalogue(services, folder, cause)).to.equal(80);
    const head = await events.head();
    expect(await seedCatalogue(services, folder, cause)).to.equal(80);
    expect(await events.head()).to.equal(head);
    await close();
  });
});

/** What could not be read of its models. */
async function oddModels(): Promise<readonly string[]> {
  const lines = (await readFile(new URL('models.jsonl', CATALOGUE), 'utf8')).trim().split('\n');
  const added = {
    dataset: 'models',
    status: 'listed',
    firstSeenAt: '',
    updatedAt: '',
    position: '',
  } as const;
  return lines.flatMap((line) => {
    const fields = JSON.parse(line);
    return readModel({ id: fields.id, digest: '', fields }, { ...added, id: fields.id, attribution: null })
      .odd;
  });
}

describe('Two processes that seed one empty folder at once', () => {
  it('show one key between them, and it works', async () => {
    const events = memoryEventStore();
    const { services, close } = await openMemoryMarket({ events });
    const other = { ...services, commands: createCommandRunner(events) };
    const seedings = await Promise.all([seedDemo(services), seedDemo(other)]);
    expect(seedings.map(({ kind }) => kind)).to.have.members(['seeded', 'overtaken']);
    const keys = seedings.flatMap((seeding) => (seeding.kind === 'seeded' ? [seeding.buyer.key] : []));
    await services.projector.caughtUp();
    const holders = await Promise.all(
      keys.map((apiKey) => authenticate(services, { apiKey }, new Date().toISOString())),
    );
    await close();

    expect(holders).to.have.length(1);
    expect(holders[0]).to.have.nested.property('caller.agency', null);
  });
});
