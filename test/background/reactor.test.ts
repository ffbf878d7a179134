import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { reactionDecider } from '../../commands/reaction/reaction.ts';
import type { DomainEvent } from '../../events/catalog.ts';
import type { Checkpoints } from '../../events/checkpoints.ts';
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import { memoryCheckpoints } from '../contract/memory/checkpoints.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { type CommandRunner, createCommandRunner } from '../../src/commanding/command-runner.ts';
import { reactionPlace, skipsOf } from '../../src/background/reaction-places.ts';
import { type Reaction, type Reactor, startReactor } from '../../src/background/reactor.ts';
import { newEvent } from '../support/new-event.ts';
import { call, grantNew, spendOf, tell } from '../support/run-commands.ts';
import { until } from '../support/until.ts';

const NAME = 'when-mandate-spent-take-note';

/** A reaction that takes note of what it is given, once `attempt` has let it. */
function noting(attempt: (event: DomainEvent) => void | Promise<void> = () => {}) {
  const noted: string[] = [];
  const reaction: Reaction = {
    name: NAME,
    types: ['MandateSpent'],
    async react(event) {
      await attempt(event);
      noted.push(event.id);
    },
  };
  return { reaction, noted };
}

describe('The reactor', () => {
  let events: EventStore;
  let checkpoints: Checkpoints;
  let errors: string[];
  let reactors: Reactor[];
  let runner: CommandRunner;
  let spendOnce: () => Promise<string>;
  beforeEach(async () => {
    events = memoryEventStore();
    checkpoints = memoryCheckpoints();
    errors = [];
    reactors = [];
    runner = createCommandRunner(events);
    const mandateId = await grantNew(runner);
    spendOnce = async () => {
      const outcome = await tell(runner, mandateId, spendOf(1));
      if (outcome.kind !== 'accepted') throw new Error('the spend was not accepted');
      return outcome.events.map(({ id }) => id).join();
    };
  });
  afterEach(() => Promise.all(reactors.map((reactor) => reactor.stop())));

  function start(reactions: readonly Reaction[], kept: Checkpoints = checkpoints): Reactor {
    const onError = (name: string, error: unknown): void => void errors.push(`${name}: ${String(error)}`);
    const isSkipped = skipsOf(runner);
    const reactor = startReactor({ events, checkpoints: kept, reactions, isSkipped, onError });
    reactors.push(reactor);
    return reactor;
  }

  it('never begins again at the first event because its checkpoint seems to be gone', async () => {
    let failing = false;
    const { reaction, noted } = noting(() => {
      if (failing) throw new Error('the effect is away');
    });
    const spends = [await spendOnce()];
    const forgetful: Checkpoints = {
      set: checkpoints.set.bind(checkpoints),
      get: async (name) => (failing ? null : checkpoints.get(name)),
    };
    const reactor = start([reaction], forgetful);
    await until('the first is noted and kept', async () => (await checkpoints.get(NAME)) !== null);

    // The reaction fails once, so that it looks for its checkpoint again and is told that there is none.
    failing = true;
    spends.push(await spendOnce());
    await until('the lost checkpoint is told of', () => errors.some((error) => error.includes('was kept')));
    expect(reactor.status()[0]?.failing?.error).to.contain('LogContradiction');
    failing = false;
    await until('the second is noted', () => noted.length > 1);
    expect(noted).to.deep.equal(spends);
  });

  it('reacts to what happened before it started and to what happens then, of its own types alone', async () => {
    const { reaction, noted } = noting();
    const spends = [await spendOnce()];
    const reactor = start([reaction]);
    spends.push(await spendOnce());
    await until('both spends are noted', () => noted.length === 2);
    expect(noted).to.have.members(spends);
    const head = await events.head();
    await until('it has reached the end of the log', () => reactor.status()[0]?.checkpoint === head);
    expect(errors).to.deep.equal([]);
  });

  it('goes on where it stopped, and does not react again', async () => {
    const first = noting();
    await spendOnce();
    const reactor = start([first.reaction]);
    await until('the spend is noted', () => first.noted.length > 0);
    await reactor.stop();
    const second = noting();
    const spend = await spendOnce();
    start([second.reaction]);
    await until('the second spend is noted', () => second.noted.length > 0);
    expect(second.noted).to.deep.equal([spend]);
  });

  it('reacts again after a crash that the checkpoint did not survive: at least once', async () => {
    const spend = await spendOnce();
    const forgetful: Checkpoints = { get: async () => null, set: async () => {} };
    for (const { reaction, noted } of [noting(), noting()]) {
      const reactor = start([reaction], forgetful);
      await until('the spend is noted', () => noted.length > 0);
      expect(noted).to.deep.equal([spend]);
      await reactor.stop();
    }
  });

  it('tries what failed again until it passes, tells of it, and lets no checkpoint past it', async () => {
    let isBroken = true;
    const { reaction, noted } = noting(() => {
      if (isBroken) throw new Error('the mail server is away');
    });
    const spend = await spendOnce();
    const position = (await events.head()) ?? '';
    const reactor = start([reaction]);
    await until('it has failed more than once', () => errors.length > 1);
    expect(errors[0]).to.equal(`${NAME}: Error: the mail server is away`);
    expect(reactor.status()[0]?.failing).to.include({ error: 'Error: the mail server is away' });
    // What comes before it may be kept.
    expect(((await checkpoints.get(NAME)) ?? '') < position).to.equal(true);
    isBroken = false;
    await until('it passed', () => reactor.status()[0]?.failing === null);
    expect(noted).to.deep.equal([spend]);
  });

  it('is well again as soon as the log is back, also where nothing happens', async () => {
    const log = events;
    let isAway = true;
    events = {
      ...log,
      subscribe(options) {
        if (isAway) throw new StoreUnavailable('the log is away');
        return log.subscribe(options);
      },
    };
    const reactor = start([noting().reaction]);
    await until('it is told', () => reactor.status()[0]?.failing !== null && errors.length > 0);
    isAway = false;
    await until('it is over', () => reactor.status()[0]?.failing === null);
  });

  it('lets no reaction that fails hold up another', async () => {
    const failing: Reaction = {
      ...noting(() => Promise.reject(new Error('no'))).reaction,
      name: 'when-x-then-fail',
    };
    const { reaction, noted } = noting();
    start([failing, reaction]);
    const spend = await spendOnce();
    await until('the other has noted the spend', () => noted.length === 1);
    expect(noted).to.deep.equal([spend]);
  });

  it('is held up by an event that it cannot read, says which, and does not skip it', async () => {
    const broken = newEvent({ type: 'MandateSpent', data: { amountCents: -1 } });
    await events.append('mandate-broken', -1, [broken]);
    await spendOnce();
    const reactor = start([noting().reaction]);
    await until('it says so', () => reactor.status()[0]?.failing !== null);
    expect(reactor.status()[0]?.failing?.error).to.include(broken.id);
    expect(reactor.status()[0]?.failing?.event?.id).to.equal(broken.id);
    await until('it is tried alone', () => errors.length > 2);
    const { position = '' } = reactor.status()[0]?.failing?.event ?? {};
    expect((await checkpoints.get(NAME)) ?? '').to.satisfy((kept: string) => kept < position);
  });

  it('says at which event it is stuck, whatever it has done of the same page', async () => {
    const first = await spendOnce();
    const stuck = await spendOnce();
    await spendOnce();
    const attempts: string[] = [];
    const { reaction, noted } = noting(({ id }) => {
      attempts.push(id);
      if (id === stuck) throw new Error('it has no owner');
    });
    const reactor = start([reaction]);
    await until('it has failed three times', () => errors.length > 2);
    expect(reactor.status()[0]?.failing?.event?.id).to.equal(stuck);
    expect((await reactionPlace(reaction, { events, checkpoints })).next?.id).to.equal(stuck);
    // Once with the page, once up to the event that fails, and then no more.
    expect(attempts.filter((id) => id === first).length).to.be.at.most(2);
    expect(noted).to.include(first);
  });

  it('goes on without the event that a person has it skip, and with those after it', async () => {
    const pageSizes: (number | undefined)[] = [];
    const subscribe = events.subscribe.bind(events);
    events.subscribe = (options) => {
      pageSizes.push(options.pageSize);
      return subscribe(options);
    };
    const skipped = await spendOnce();
    const { reaction, noted } = noting(({ id }) => {
      if (id === skipped) throw new Error('it has no owner');
    });
    const reactor = start([reaction]);
    await until('it is stuck', () => reactor.status()[0]?.failing?.event?.id === skipped);
    const { position } = reactor.status()[0]?.failing?.event ?? {};
    const skip = {
      reaction: NAME,
      eventId: skipped,
      position: position ?? '',
      reason: 'nobody waits for it',
    };
    await runner.run(reactionDecider, NAME, { type: 'SkipReactionEvent', skip }, call());
    const next = await spendOnce();
    await until('it has gone on', () => reactor.status()[0]?.failing === null && noted.includes(next));
    expect(noted).not.to.include(skipped);
    await until('it reads many at once again', () => pageSizes.at(-1) === pageSizes[0]);
    expect(pageSizes).to.include(1);
  });

  it('does not go on without an event that another reaction is to skip', async () => {
    const stuck = await spendOnce();
    const { reaction, noted } = noting(({ id }) => {
      if (id === stuck) throw new Error('it has no owner');
    });
    const skip = { reaction: 'when-x-then-y', eventId: stuck, position: '0', reason: 'nobody waits for it' };
    await runner.run(reactionDecider, 'when-x-then-y', { type: 'SkipReactionEvent', skip }, call());
    await spendOnce();
    start([reaction]);
    await until('it has failed three times', () => errors.length > 2);
    expect(noted.length).to.be.at.most(1);
    expect(await checkpoints.get(NAME)).not.to.equal(await events.head());
  });

  it('tells of a failure once nothing of that try runs any more', async () => {
    const slow = await spendOnce();
    await spendOnce();
    let underway = 0;
    const toldWith: number[] = [];
    const { reaction } = noting(async ({ id }) => {
      if (id !== slow) throw new Error('no');
      underway += 1;
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
      underway -= 1;
    });
    const onError = (): void => void toldWith.push(underway);
    const isSkipped = async (): Promise<boolean> => false;
    reactors.push(startReactor({ events, checkpoints, reactions: [reaction], isSkipped, onError }));
    await until('it has failed', () => toldWith.length > 0);
    expect(toldWith[0]).to.equal(0);
  });

  it('stops only when what it was doing is done, and keeps how far it came', async () => {
    const finish: (() => void)[] = [];
    const { reaction, noted } = noting(() => new Promise<void>((resolve) => finish.push(resolve)));
    const spend = await spendOnce();
    const reactor = start([reaction]);
    await until('it is at work', () => finish.length === 1);
    const stopped = reactor.stop();
    for (const finishOne of finish) finishOne();
    await stopped;
    expect(noted).to.deep.equal([spend]);
    expect(await checkpoints.get(NAME)).to.equal(await events.head());
  });

  it('waits between its tries when the log was closed under it, and can be stopped', async () => {
    const { reaction } = noting();
    const reactor = start([reaction]);
    await until('it has caught up', () => reactor.status()[0]?.checkpoint !== null);
    await events.close();
    await until('it says so', () => reactor.status()[0]?.failing !== null);
    expect(reactor.status()[0]?.failing?.error).to.include('the log was closed');
    await reactor.stop();
  });
});
