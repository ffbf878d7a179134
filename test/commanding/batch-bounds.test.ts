/** What waits for one stream is appended together as far as one append has room, and the rest right after it. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { MAX_APPEND_BYTES } from '../../events/event-store.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { faultyEventStore } from '../support/faulty-event-store.ts';
import { countOf, grantNew, netCents, tell } from '../support/run-commands.ts';
import { order, orderText, spend } from '../support/sample-mandate.ts';

/** As much as a trial may bring. */
const TEXT = orderText({ inputs: { rows: 'x'.repeat(60_000) } });

describe('Commands to one stream that are more than an append holds', () => {
  it('are all answered, in as few appends as their bytes take', async () => {
    const log = faultyEventStore(memoryEventStore());
    const runner = createCommandRunner(log);
    const mandateId = await grantNew(runner, { maxMonthlyCents: 1_000_000 });
    const before = log.appends.length;
    const wishes = Array.from({ length: 60 }, (_, i) => {
      const name = randomUUID();
      return tell(runner, mandateId, spend(100, name, { order: order(name, { text: TEXT }) }), {
        commandId: `command-${i}`,
      });
    });
    // Known since the first of them, though it may wait behind it in the same batch.
    const again = tell(runner, mandateId, spend(100, 'again'), { commandId: 'command-0' });
    const outcomes = await Promise.all(wishes);

    expect(countOf(outcomes, 'accepted')).to.equal(60);
    expect((await again).kind).to.equal('replayed');
    expect(await netCents(log, mandateId)).to.equal(6_000);
    const appends = log.appends.slice(before);
    const bytes = appends.map(({ events }) => Buffer.byteLength(JSON.stringify(events)));
    expect(Math.max(...bytes)).to.be.below(MAX_APPEND_BYTES);
    // The first goes alone: nothing waited with it.
    expect(appends.length).to.be.within(5, 7);
  });
});
