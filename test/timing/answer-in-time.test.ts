/** A log that does not answer holds nobody for longer than they want to wait, nor those who come after. */
import { expect } from 'chai';
import { type EventStore, OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { type CommandRunner, createCommandRunner } from '../../src/commanding/command-runner.ts';
import { type FaultyEventStore, faultyEventStore } from '../support/faulty-event-store.ts';
import { rejectionOf } from '../support/rejection.ts';
import { grantNew, spendOf, tell } from '../support/run-commands.ts';
import { until } from '../support/until.ts';

const SOON_MS = 40;

describe('A command that is to be answered by a moment', () => {
  let events: FaultyEventStore;
  let runner: CommandRunner;
  let mandateId: string;
  let moments: (number | undefined)[];
  beforeEach(async () => {
    events = faultyEventStore(memoryEventStore());
    moments = [];
    const remote: EventStore = {
      ...events,
      within(untilMs) {
        moments.push(untilMs);
        return events;
      },
    };
    runner = createCommandRunner(remote);
    mandateId = await grantNew(runner);
  });

  it('says that nothing is known where the log stays silent, and is done once all the same', async () => {
    events.plan('hang');
    const soon = runner.within(performance.now() + SOON_MS);
    expect(await rejectionOf(tell(soon, mandateId, spendOf(1)))).to.be.instanceOf(OutcomeUnknown);
    events.letGo();
    await runner.idle();
    const again = await tell(runner, mandateId, spendOf(2));
    expect(again).to.include({ kind: 'accepted', revision: 2 });
  });

  it('that had no turn by then is never done', async () => {
    events.plan('hang');
    const first = tell(runner, mandateId, spendOf(1));
    await until('the first is under way', () => events.appends.length === 2);
    const soon = runner.within(performance.now() + SOON_MS);
    expect(await rejectionOf(tell(soon, mandateId, spendOf(2)))).to.be.instanceOf(StoreUnavailable);
    events.letGo();
    expect(await first).to.include({ kind: 'accepted' });
    await runner.idle();
    expect(events.appends).to.have.length(2);
  });

  it('tells the log how long whoever waits the longest does', async () => {
    events.plan('hang');
    const first = tell(runner, mandateId, spendOf(1));
    await until('the first is under way', () => events.appends.length === 2);
    const [sooner, later] = [performance.now() + 20_000, performance.now() + 30_000];
    const both = [sooner, later].map((moment, i) => tell(runner.within(moment), mandateId, spendOf(2 + i)));
    moments = [];
    events.letGo();
    await Promise.all([first, ...both]);
    expect(moments).to.deep.equal([later]);
  });
});
