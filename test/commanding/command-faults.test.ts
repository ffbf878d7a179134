/** What the command runner does when the log refuses, stays silent or hangs, and when a decider breaks. */
import { expect } from 'chai';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import { OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { Overloaded } from '../../src/commanding/command-call.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { faultyEventStore } from '../support/faulty-event-store.ts';
import { rejectionOf } from '../support/rejection.ts';
import {
  call,
  countOf,
  grantNew,
  netCents,
  newMandateId,
  spendMany,
  spendOf,
  tell,
} from '../support/run-commands.ts';
import { AT, grant, spend } from '../support/sample-mandate.ts';
import { until } from '../support/until.ts';

const setUp = () => {
  const store = faultyEventStore(memoryEventStore());
  return { store, runner: createCommandRunner(store) };
};

describe('A log that refuses', () => {
  it('fails the command, which has done nothing and may be sent again', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner);
    store.plan('refuse');
    const once = { commandId: 'once' };
    expect(await rejectionOf(tell(runner, mandateId, spendOf(100), once))).to.be.instanceOf(StoreUnavailable);
    expect(await netCents(store, mandateId)).to.equal(0);
    expect((await tell(runner, mandateId, spendOf(100), once)).kind).to.equal('accepted');
    expect(await netCents(store, mandateId)).to.equal(100);
  });

  it('fails all commands that were to be written together', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner);
    store.plan('refuse', 'refuse');
    const failures = await Promise.all(
      [1, 2, 3].map(() => rejectionOf(tell(runner, mandateId, spendOf(100)))),
    );
    for (const failure of failures) expect(failure).to.be.instanceOf(StoreUnavailable);
    expect(await netCents(store, mandateId)).to.equal(0);
  });
});

describe('A log that stays silent', () => {
  for (const fault of ['lose', 'write silently'] as const) {
    it(`is asked with the identical append until it answers (${fault}): the spend is there once`, async () => {
      const { store, runner } = setUp();
      const mandateId = await grantNew(runner);
      store.plan(fault, fault);
      const outcome = await tell(runner, mandateId, spendOf(100));
      expect(outcome).to.include({ kind: 'accepted', revision: 1 });
      const [, first, ...repeats] = store.appends;
      expect(repeats).to.have.length(2);
      for (const repeat of repeats) expect(repeat).to.deep.equal(first);
      expect(await netCents(store, mandateId)).to.equal(100);
    });

    it(`for ever leaves the outcome unknown (${fault}), until the same command is sent again`, async () => {
      const { store, runner } = setUp();
      const mandateId = await grantNew(runner);
      store.plan(...Array.from({ length: 5 }, () => fault));
      const once = { commandId: 'once' };
      expect(await rejectionOf(tell(runner, mandateId, spendOf(100), once))).to.be.instanceOf(OutcomeUnknown);
      const again = await tell(runner, mandateId, spendOf(100), once);
      expect(again.kind).to.equal(fault === 'lose' ? 'accepted' : 'replayed');
      expect(await netCents(store, mandateId)).to.equal(100);
    });
  }

  it('and then refuses leaves the outcome unknown: nobody may say that nothing was done', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner);
    store.plan('write silently', 'refuse', 'refuse', 'refuse', 'refuse');
    expect(await rejectionOf(tell(runner, mandateId, spendOf(100)))).to.be.instanceOf(OutcomeUnknown);
    expect(await netCents(store, mandateId)).to.equal(100);
  });

  it('and then refuses once is asked on, and tells in the end', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner);
    store.plan('write silently', 'refuse');
    expect((await tell(runner, mandateId, spendOf(100))).kind).to.equal('accepted');
    expect(await netCents(store, mandateId)).to.equal(100);
  });

  it('while somebody else writes: the command is decided again, and none is lost or done twice', async () => {
    const { store, runner } = setUp();
    const elsewhere = createCommandRunner(store);
    const mandateId = await grantNew(runner);
    store.plan('lose');
    const mine = tell(runner, mandateId, spendOf(100));
    expect((await tell(elsewhere, mandateId, spendOf(10))).kind).to.equal('accepted');
    expect((await mine).kind).to.equal('accepted');
    expect(await netCents(store, mandateId)).to.equal(110);
  });
});

describe('A log that hangs', () => {
  it('holds up the stream that it hangs at and no other', async () => {
    const { store, runner } = setUp();
    const [stuck, free] = [await grantNew(runner), await grantNew(runner)];
    store.plan('hang');
    const waiting = tell(runner, stuck, spendOf(100));
    expect((await tell(runner, free, spendOf(100))).kind).to.equal('accepted');
    await until('only the stuck stream is left', () => runner.depth() === 1);
    store.letGo();
    expect((await waiting).kind).to.equal('accepted');
    await runner.idle();
    expect(runner.depth()).to.equal(0);
  });

  it('keeps nobody from looking at what stands', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner);
    store.plan('hang');
    const waiting = tell(runner, mandateId, spendOf(100));
    const { state } = await runner.load(mandateDecider, mandateId, AT);
    expect(state).to.include({ spentCents: 0 });
    store.letGo();
    await waiting;
    expect((await runner.load(mandateDecider, mandateId, AT)).state).to.include({ spentCents: 100 });
  });

  it('makes a queue that is bounded: whoever comes too late is told so at once, the others are answered', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner, { maxMonthlyCents: 1_000_000 });
    store.plan('hang');
    const first = tell(runner, mandateId, spendOf(1));
    const waiting = spendMany(runner, mandateId, 2_000, 1);
    expect(await rejectionOf(tell(runner, mandateId, spendOf(1)))).to.be.instanceOf(Overloaded);
    store.letGo();
    expect((await first).kind).to.equal('accepted');
    expect(countOf(await waiting, 'accepted')).to.equal(2_000);
    expect(await netCents(store, mandateId)).to.equal(2_001);
  });

  it('costs one append for what came together, a bounded number in each', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner, { maxMonthlyCents: 1_000_000 });
    const before = store.appends.length;
    await spendMany(runner, mandateId, 513, 1);
    const spends = store.appends.slice(before).map(({ events }) => events.filter(isSpend).length);
    expect(spends).to.deep.equal([1, 256, 256]);
  });
});

/** Snapshots of the balance may stand between them. */
function isSpend({ type }: { readonly type: string }): boolean {
  return type === 'MandateSpent';
}

describe('A decider that throws', () => {
  it('fails its own command and none that came with it', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner);
    const broken: typeof mandateDecider = {
      ...mandateDecider,
      decide: () => {
        throw new TypeError('a bug');
      },
    };
    const [first, bug, last] = await Promise.all([
      tell(runner, mandateId, spendOf(100)),
      rejectionOf(runner.run(broken, mandateId, spend(100), call())),
      tell(runner, mandateId, spendOf(100)),
    ]);
    expect(bug).to.be.instanceOf(TypeError);
    expect([first.kind, last.kind]).to.deep.equal(['accepted', 'accepted']);
    expect(await netCents(store, mandateId)).to.equal(200);
  });

  it('or decides what could not be read again fails its own command: no such fact reaches the log', async () => {
    const { store, runner } = setUp();
    const mandateId = await grantNew(runner);
    const endless = { type: 'RevokeMandate', reason: 'x'.repeat(501) } as const;
    const [first, bug, last] = await Promise.all([
      tell(runner, mandateId, spendOf(100)),
      rejectionOf(tell(runner, mandateId, endless)),
      tell(runner, mandateId, spendOf(100)),
    ]);
    expect(String(bug)).to.include('MandateRevoked breaks its own schema');
    expect([first.kind, last.kind]).to.deep.equal(['accepted', 'accepted']);
    expect(await netCents(store, mandateId)).to.equal(200);
  });

  it('while evolving leaves nothing behind either', async () => {
    const { store, runner } = setUp();
    const mandateId = newMandateId();
    const broken: typeof mandateDecider = {
      ...mandateDecider,
      evolve: () => {
        throw new TypeError('a bug');
      },
    };
    const bug = await rejectionOf(runner.run(broken, mandateId, { ...grant(), mandateId }, call()));
    expect(bug).to.be.instanceOf(TypeError);
    expect(store.appends).to.have.length(0);
  });
});
