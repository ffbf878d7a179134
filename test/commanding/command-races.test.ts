/** However many race, the cap holds: what is accepted stands in the log, and what is refused is refused truly. */
import { expect } from 'chai';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import { Contended } from '../../src/commanding/command-call.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { faultyEventStore } from '../support/faulty-event-store.ts';
import { rejectionOf } from '../support/rejection.ts';
import {
  countOf,
  grantNew,
  type MandateOutcome,
  netCents,
  soundAudit,
  spendMany,
  spendOf,
  tell,
} from '../support/run-commands.ts';
import { AT, terms } from '../support/sample-mandate.ts';
import { describeOnEmbeddedLogs, type OpenedLog } from './on-embedded-logs.ts';

const HUNDRED = { maxPerTransactionCents: 1_000, maxMonthlyCents: 10_000 };

describeOnEmbeddedLogs('Races', (opened) => {
  let store: OpenedLog['store'];
  let runner: OpenedLog['runner'];
  let anotherRunner: OpenedLog['anotherRunner'];
  before(() => void ({ store, runner, anotherRunner } = opened()));

  it('of 200 spends of 10.00 at once against 100.00 exactly ten pass', async () => {
    const mandateId = await grantNew(runner, HUNDRED);
    const outcomes = await spendMany(runner, mandateId, 200, 1_000);
    expect(countOf(outcomes, 'accepted')).to.equal(10);
    for (const outcome of outcomes) expectTrueRefusal(outcome);
    expect(await netCents(store, mandateId)).to.equal(10_000);
  });

  it('of 100 each from two runners, which know nothing of each other, exactly ten pass', async () => {
    const mandateId = await grantNew(runner, HUNDRED);
    const elsewhere = await anotherRunner();
    const halves = await Promise.all([
      spendMany(runner, mandateId, 100, 1_000),
      spendMany(elsewhere, mandateId, 100, 1_000),
    ]);
    const outcomes = halves.flat();
    expect(countOf(outcomes, 'accepted')).to.equal(10);
    for (const outcome of outcomes) expectTrueRefusal(outcome);
    expect(await netCents(store, mandateId)).to.equal(10_000);
  });

  it('a runner that remembers a mandate refuses at once what another has revoked behind its back', async () => {
    const mandateId = await grantNew(runner);
    await tell(runner, mandateId, spendOf(100));
    const elsewhere = await anotherRunner();
    await tell(elsewhere, mandateId, { type: 'RevokeMandate', reason: 'lost' });
    const outcome = await tell(runner, mandateId, spendOf(100));
    expect(outcome).to.have.nested.property('rejection.violations[0].reason', 'mandate_revoked');
    expect(outcome).to.have.nested.property('state.status', 'revoked');
  });

  it('a runner allows at once what another has made room for behind its back', async () => {
    const mandateId = await grantNew(runner, { maxMonthlyCents: 0 });
    expect((await tell(runner, mandateId, spendOf(100))).kind).to.equal('rejected');
    const elsewhere = await anotherRunner();
    await tell(elsewhere, mandateId, { type: 'AmendMandate', changes: terms() });
    expect((await tell(runner, mandateId, spendOf(100))).kind).to.equal('accepted');
  });

  it('looking at a mandate shows what another has written last', async () => {
    const mandateId = await grantNew(runner);
    const elsewhere = await anotherRunner();
    for (const spentCents of [100, 200, 300]) {
      await tell(elsewhere, mandateId, spendOf(100));
      const { state, revision } = await runner.load(mandateDecider, mandateId, AT);
      expect(state).to.include({ spentCents });
      expect(runner.knownRevision(`mandate-${mandateId}`)).to.equal(revision);
    }
    expect((await tell(runner, mandateId, spendOf(100))).kind).to.equal('accepted');
    expect(await netCents(store, mandateId)).to.equal(400);
  });

  it('who loses a race decides again upon what is there then', async () => {
    const faulty = faultyEventStore(store);
    const late = createCommandRunner(faulty);
    const mandateId = await grantNew(runner, { maxMonthlyCents: 300 });
    let races = 3;
    faulty.beforeAppend = async () => {
      if (races-- > 0) await tell(runner, mandateId, spendOf(100));
    };
    expect(await tell(late, mandateId, spendOf(100))).to.have.nested.property(
      'rejection.violations[0].value',
      400,
    );
    expect(await netCents(store, mandateId)).to.equal(300);
  });

  it('who loses every race gives up in the end, says so and has done nothing', async () => {
    const faulty = faultyEventStore(store);
    const late = createCommandRunner(faulty);
    const mandateId = await grantNew(runner, { maxMonthlyCents: 1_000_000 });
    faulty.beforeAppend = async () => void (await tell(runner, mandateId, spendOf(1)));
    const failure = await rejectionOf(tell(late, mandateId, spendOf(1_000)));
    expect(failure).to.be.instanceOf(Contended);
    expect(await netCents(store, mandateId)).to.be.below(1_000);
    faulty.beforeAppend = async () => {};
    expect((await tell(late, mandateId, spendOf(1_000))).kind).to.equal('accepted');
    await soundAudit(store, mandateId);
  });
});

/** A refusal shows the mandate as it was when it refused: with nothing left. */
function expectTrueRefusal(outcome: MandateOutcome): void {
  if (outcome.kind === 'accepted') return;
  expect(outcome).to.have.nested.property('rejection.kind', 'denied');
  expect(outcome).to.have.nested.property('rejection.violations.length', 1);
  expect(outcome).to.have.nested.property('rejection.violations[0].reason', 'monthly_cap');
  expect(outcome).to.have.nested.property('rejection.violations[0].value', 11_000);
  expect(outcome).to.have.nested.property('state.spentCents', 10_000);
}
