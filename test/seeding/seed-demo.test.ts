import { expect } from 'chai';
import { memoryEventStore } from '../../infra/memory/event-store.ts';
import { authenticate } from '../../src/calling/authenticate.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { DEMO_KEY_ID, seedDemo } from '../../src/seeding/seed-demo.ts';
import { openMemoryMarket } from '../support/memory-market.ts';

describe('The demonstration key', () => {
  it('is shown before it is made, and may all that the documents do with a buyer’s key', async () => {
    const { services, close } = await openMemoryMarket({ events: memoryEventStore() });
    const at = '2026-11-27T09:30:00.000Z';
    const shown: string[] = [];
    const keysThen: boolean[] = [];
    const show = (lines: readonly string[]): void => {
      shown.push(...lines);
      keysThen.push(services.commands.knownRevision(`key-${DEMO_KEY_ID}`) >= 0);
    };
    const seeding = await seedDemo(services, at, { show });
    if (seeding.kind !== 'seeded') throw new Error(seeding.kind);
    expect(keysThen).to.deep.equal([false]);
    expect(shown.join('\n')).to.include(seeding.buyer.key).and.include(DEMO_KEY_ID);
    await services.projector.caughtUp();
    const holder = await authenticate(services, seeding.buyer.key, new Date().toISOString());
    if (holder === null || typeof holder === 'string') throw new Error('the key does not work');
    expect(holder.scopes).to.include.members(['webhooks:manage', 'keys:manage', 'mandate:read']);
    await close();
  }).timeout(60_000);
});

describe('Two processes that seed one empty folder at once', () => {
  it('show one key between them, and it works', async () => {
    const events = memoryEventStore();
    const { services, close } = await openMemoryMarket({ events });
    const at = '2026-11-27T09:30:00.000Z';
    const other = { ...services, commands: createCommandRunner(events) };
    const seedings = await Promise.all([seedDemo(services, at), seedDemo(other, at)]);
    expect(seedings.map(({ kind }) => kind)).to.have.members(['seeded', 'overtaken']);
    const keys = seedings.flatMap((seeding) => (seeding.kind === 'seeded' ? [seeding.buyer.key] : []));
    await services.projector.caughtUp();
    const holders = await Promise.all(
      keys.map((key) => authenticate(services, key, new Date().toISOString())),
    );
    await close();

    expect(holders).to.have.length(1);
    expect(holders[0]).to.include({ agency: null });
  }).timeout(60_000);
});
