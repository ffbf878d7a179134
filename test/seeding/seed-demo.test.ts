import { expect } from 'chai';
import { memoryEventStore } from '../../infra/memory/event-store.ts';
import { authenticate } from '../../src/calling/authenticate.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { seedDemo } from '../../src/seeding/seed-demo.ts';
import { openMemoryMarket } from '../support/memory-market.ts';

describe('Two processes that seed one empty folder at once', () => {
  it('show one key between them, and it works', async () => {
    const events = memoryEventStore();
    const { services, close } = await openMemoryMarket({ events });
    const at = '2026-11-27T09:30:00.000Z';
    const other = { ...services, commands: createCommandRunner(events) };
    const seedings = await Promise.all([seedDemo(services, at), seedDemo(other, at)]);
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
