/** A stream answers each command once, whoever asks, however often and wherever. */
import { expect } from 'chai';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import type { MandateFact } from '../../events/mandate-events.ts';
import type { PreviousOutcome } from '../../src/commanding/command-call.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { readAll } from '../support/event-log.ts';
import {
  call,
  grantNew,
  type MandateOutcome,
  netCents,
  soundAudit,
  spendOf,
  tell,
} from '../support/run-commands.ts';
import { spend, terms } from '../support/sample-mandate.ts';
import { describeOnEmbeddedLogs, type OpenedLog } from './on-embedded-logs.ts';

describeOnEmbeddedLogs('Command ids', (opened) => {
  let store: OpenedLog['store'];
  let runner: OpenedLog['runner'];
  let anotherRunner: OpenedLog['anotherRunner'];
  before(() => void ({ store, runner, anotherRunner } = opened()));

  const once = { commandId: 'once', requestHash: 'a' };
  const other = { commandId: 'once', requestHash: 'b' };

  it('the same command again yields the events of the first time, and adds none', async () => {
    const mandateId = await grantNew(runner);
    const first = await tell(runner, mandateId, spendOf(100), once);
    const again = await tell(runner, mandateId, spendOf(100), once);
    expect(again.kind).to.equal('replayed');
    expect(withoutPositions(again)).to.deep.equal(withoutPositions(first));
    expect(await netCents(store, mandateId)).to.equal(100);
  });

  it('the same id with another request is a mismatch, also when one of the two has no hash', async () => {
    const mandateId = await grantNew(runner);
    await tell(runner, mandateId, spendOf(100), once);
    expect((await tell(runner, mandateId, spendOf(100), other)).kind).to.equal('mismatch');
    expect((await tell(runner, mandateId, spendOf(100), { commandId: 'once' })).kind).to.equal('mismatch');
    expect(await netCents(store, mandateId)).to.equal(100);
  });

  it('commands that arrive together are told apart all the same: one effect, replays and a mismatch', async () => {
    const mandateId = await grantNew(runner);
    const outcomes = await Promise.all([
      tell(runner, mandateId, spendOf(1)),
      tell(runner, mandateId, spendOf(100), once),
      tell(runner, mandateId, spendOf(100), once),
      tell(runner, mandateId, spendOf(100), other),
      tell(runner, mandateId, spendOf(100), once),
    ]);
    const kinds = outcomes.map(({ kind }) => kind);
    expect(kinds).to.deep.equal(['accepted', 'accepted', 'replayed', 'mismatch', 'replayed']);
    expect(await netCents(store, mandateId)).to.equal(101);
  });

  it('the same id in two streams is two commands', async () => {
    const [one, two] = [await grantNew(runner), await grantNew(runner)];
    expect((await tell(runner, one, spendOf(100), once)).kind).to.equal('accepted');
    expect((await tell(runner, two, spendOf(100), once)).kind).to.equal('accepted');
  });

  it('a command is remembered across a restart', async () => {
    const mandateId = await grantNew(runner);
    const first = await tell(runner, mandateId, spendOf(100), once);
    const restarted = createCommandRunner(store);
    const again = await tell(restarted, mandateId, spendOf(100), once);
    expect(withoutPositions(again)).to.deep.equal(withoutPositions(first));
    expect((await tell(restarted, mandateId, spendOf(100), other)).kind).to.equal('mismatch');
  });

  it('a command that was answered by another process is known here, behind whose back it happened', async () => {
    const mandateId = await grantNew(runner);
    const elsewhere = await anotherRunner();
    await tell(elsewhere, mandateId, spendOf(100), once);
    expect((await tell(runner, mandateId, spendOf(100), once)).kind).to.equal('replayed');
    expect((await tell(runner, mandateId, spendOf(100), other)).kind).to.equal('mismatch');
  });

  it('the same command at the same instant in two processes has one effect, and both stay true to the log', async () => {
    const elsewhere = await anotherRunner();
    for (let round = 0; round < 10; round += 1) {
      const mandateId = await grantNew(runner);
      await elsewhere.load(mandateDecider, mandateId, call().at);
      const outcomes = await Promise.all([
        tell(runner, mandateId, spendOf(100), { ...once, requestId: 'here' }),
        tell(elsewhere, mandateId, spendOf(100), { ...once, requestId: 'there' }),
      ]);
      expect(outcomes.map(({ kind }) => kind)).to.have.members(['accepted', 'replayed']);
      await tell(runner, mandateId, spendOf(1));
      await tell(elsewhere, mandateId, spendOf(1));
      expect(await netCents(store, mandateId)).to.equal(102);
    }
  });

  it('two requests under one id at the same instant in two processes: one is done, the other a mismatch', async () => {
    const elsewhere = await anotherRunner();
    for (let round = 0; round < 10; round += 1) {
      const mandateId = await grantNew(runner);
      const wish = spend(100, 'the same');
      const outcomes = await Promise.all([
        tell(runner, mandateId, wish, once),
        tell(elsewhere, mandateId, { ...wish, amountCents: 5_000 }, other),
      ]);
      expect(outcomes.map(({ kind }) => kind)).to.have.members(['accepted', 'mismatch']);
      await tell(runner, mandateId, spendOf(1));
      await tell(elsewhere, mandateId, spendOf(1));
      await soundAudit(store, mandateId);
    }
  });

  it('a command that was refused is not remembered: it may pass once its reason is gone', async () => {
    const mandateId = await grantNew(runner, { allowedActions: [] });
    expect((await tell(runner, mandateId, spendOf(100), once)).kind).to.equal('rejected');
    await tell(runner, mandateId, { type: 'AmendMandate', changes: terms() });
    expect((await tell(runner, mandateId, spendOf(100), once)).kind).to.equal('accepted');
  });

  it('what a command led to can be found without running it', async () => {
    const mandateId = await grantNew(runner);
    expect(await runner.findPrevious(mandateDecider, mandateId, call(once))).to.equal(null);
    const first = await tell(runner, mandateId, spendOf(100), once);
    const previous = await runner.findPrevious(mandateDecider, mandateId, call(once));
    expect(previous && withoutPositions(previous)).to.deep.equal(withoutPositions(first));
    expect(await runner.findPrevious(mandateDecider, mandateId, call(other))).to.have.property(
      'kind',
      'mismatch',
    );
    expect(await netCents(store, mandateId)).to.equal(100);
  });

  it('a command is remembered however often the clock is set forward, also by a process that starts then', async () => {
    const mandateId = await grantNew(runner, { maxMonthlyCents: 1_000_000 });
    const first = await tell(runner, mandateId, spendOf(100), { ...once, at: '2026-11-28T00:00:00.000Z' });
    // Two days each time, with a spend after it: as the log has it, more than a week goes by.
    for (const day of [30, 32, 34, 36, 38])
      await tell(runner, mandateId, spendOf(1), { at: afterJumps(day) });
    const now = { ...once, at: afterJumps(38) };
    for (const each of [runner, createCommandRunner(store), await anotherRunner()]) {
      const again = await tell(each, mandateId, spendOf(100), now);
      expect(withoutPositions(again)).to.deep.equal(withoutPositions(first));
      expect((await tell(each, mandateId, spendOf(100), { ...other, at: now.at })).kind).to.equal('mismatch');
    }
    expect(await netCents(store, mandateId)).to.equal(105);
  });

  it('a command is remembered for a day, and its id is free again long after', async () => {
    const mandateId = await grantNew(runner, { maxMonthlyCents: 1_000_000 });
    await tell(runner, mandateId, spendOf(100), { ...once, at: '2026-11-28T00:00:00.000Z' });
    const dayLater = { ...once, at: '2026-11-29T00:00:00.000Z' };
    const muchLater = { ...other, at: '2026-11-30T00:00:00.000Z' };
    for (const each of [runner, createCommandRunner(store)]) {
      expect((await tell(each, mandateId, spendOf(100), dayLater)).kind).to.equal('replayed');
    }
    const soon = { at: '2026-11-28T01:00:00.000Z' };
    const longBusy = createCommandRunner(store);
    await Promise.all(Array.from({ length: 200 }, () => tell(longBusy, mandateId, spendOf(1), soon)));
    const restarted = createCommandRunner(store);
    const second = await tell(restarted, mandateId, spendOf(200), muchLater);
    expect(second.kind).to.equal('accepted');
    // However far back a load reads: the id stands for the latest command that bore it.
    for (const each of [restarted, createCommandRunner(store)]) {
      const again = await tell(each, mandateId, spendOf(200), { ...muchLater, remembersFrom: 0 });
      expect(withoutPositions(again)).to.deep.equal(withoutPositions(second));
    }
    expect(await netCents(store, mandateId)).to.equal(500);
  });

  it('the answer to a repeated command is read from the log, whole and no more than it added', async () => {
    const mandateId = await grantNew(runner);
    const december = { ...once, at: '2026-12-01T00:00:00.000Z' };
    const first = await tell(runner, mandateId, spendOf(100), december);
    await tell(runner, mandateId, spendOf(100), { at: december.at });
    const again = await tell(createCommandRunner(store), mandateId, spendOf(100), december);
    expect(withoutPositions(again)).to.deep.equal(withoutPositions(first));
    expect(typesOf(again)).to.deep.equal(['MandatePeriodOpened', 'MandateSpent']);
    expect(await readAll(store, `mandate-${mandateId}`)).to.have.length(4);
  });
});

/** Such a day of November, and on into December. */
function afterJumps(day: number): string {
  return new Date(Date.UTC(2026, 10, day)).toISOString();
}

/** What a first answer and its replay have in common. */
function withoutPositions(outcome: MandateOutcome | PreviousOutcome<MandateFact>): unknown {
  if (outcome.kind !== 'accepted' && outcome.kind !== 'replayed') return outcome;
  const events = outcome.events.map((event) => ({ ...event, position: undefined }));
  return { events, revision: outcome.revision };
}

function typesOf(outcome: MandateOutcome): readonly string[] {
  return 'events' in outcome ? outcome.events.map(({ type }) => type) : [];
}
