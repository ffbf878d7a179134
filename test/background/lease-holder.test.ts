import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { createMemoryLeases } from '../../infra/memory/leases.ts';
import { type Leases, LeasesUnavailable } from '../../src/ports/leases.ts';
import { holdLease, type LeaseHolder, type LeaseError } from '../../src/background/lease-holder.ts';
import { type HandClock, handClock } from '../support/hand-clock.ts';

const TTL_MS = 6_000;
const NEVER = new AbortController().signal;

/** One span of work as the test saw it: from its beginning to its end, and when it was told to stop. */
interface Span {
  readonly who: string;
  readonly fromMs: number;
  toldMs: number;
  toMs: number;
}

/** What an engine may do to one call. */
type Fault = 'none' | 'refuses' | 'is silent' | 'acts and is silent';

describe('The holder of a lease', () => {
  let clock: HandClock;
  let leases: Leases;
  let spans: Span[];
  let errors: string[];
  let holders: LeaseHolder[];
  beforeEach(() => {
    clock = handClock();
    leases = createMemoryLeases(clock.nowMs);
    spans = [];
    errors = [];
    holders = [];
  });
  afterEach(async () => {
    const stopped = Promise.all(holders.map((holder) => holder.stop()));
    await clock.advance(10 * TTL_MS);
    await stopped;
  });

  interface Part {
    readonly leases?: Leases;
    /** So long after it was told the work ends. */
    readonly stopsAfterMs?: number;
    readonly run?: (signal: AbortSignal) => Promise<void>;
  }

  function start(who: string, { leases: through = leases, stopsAfterMs = 0, run }: Part = {}): LeaseHolder {
    const holder = holdLease({
      leases: through,
      name: 'projector',
      holder: who,
      ttlMs: TTL_MS,
      run: run ?? ((signal) => work(who, signal, stopsAfterMs)),
      onError: (error: LeaseError) => errors.push(`${who}: ${error.kind}`),
      clock,
    });
    holders.push(holder);
    return holder;
  }

  async function work(who: string, signal: AbortSignal, stopsAfterMs: number): Promise<void> {
    const span: Span = { who, fromMs: clock.nowMs(), toldMs: Infinity, toMs: Infinity };
    spans.push(span);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    span.toldMs = clock.nowMs();
    if (stopsAfterMs > 0) await clock.wait(stopsAfterMs, NEVER);
    span.toMs = clock.nowMs();
  }

  /** The leases as this process sees them: its calls take their time, there and back, and fail as the test wants it. */
  function through(fault: () => Fault, latencyMs = 0): Leases {
    const call = async <Answer>(act: () => Promise<Answer>): Promise<Answer> => {
      const what = fault();
      if (latencyMs > 0) await clock.wait(latencyMs, NEVER);
      if (what === 'refuses') throw new LeasesUnavailable('the test says so');
      if (what === 'is silent') return new Promise(() => {});
      const answer = await act();
      if (latencyMs > 0) await clock.wait(latencyMs, NEVER);
      return what === 'none' ? answer : new Promise(() => {});
    };
    return {
      take: (...args) => call(() => leases.take(...args)),
      release: (...args) => call(() => leases.release(...args)),
    };
  }

  const working = (): readonly string[] =>
    spans.filter(({ toMs }) => toMs === Infinity).map(({ who }) => who);

  it('works alone for as long as it is there', async () => {
    const first = start('a');
    await clock.advance(1);
    start('b');
    await clock.advance(20 * TTL_MS);
    expect(spans.map(({ who }) => who)).to.deep.equal(['a']);
    expect([first.isHolding(), errors]).to.deep.equal([true, []]);
  });

  it('lets the next one begin soon after it has stopped, without waiting for the lease to run out', async () => {
    const first = start('a');
    await clock.advance(1);
    start('b');
    await clock.advance(TTL_MS);
    const stoppedAtMs = clock.nowMs();
    await first.stop();
    await clock.advance(TTL_MS);
    expect(working()).to.deep.equal(['b']);
    expect((spans[1]?.fromMs ?? Infinity) - stoppedAtMs).to.be.lessThan(TTL_MS / 2);
  });

  it('replaces a dead one within one and a half times the lease', async () => {
    await leases.take('projector', 'dead', TTL_MS);
    start('b');
    await clock.advance(1.5 * TTL_MS);
    expect(working()).to.deep.equal(['b']);
  });

  it('looks for a lease that others hold at moments of its own, so that not all who wait come at once', async () => {
    await leases.take('projector', 'another', Number.MAX_SAFE_INTEGER);
    const looks = Array.from({ length: 20 }, (): number[] => []);
    for (const [i, moments] of looks.entries()) {
      const take: Leases['take'] = (...args) => {
        moments.push(clock.nowMs());
        return leases.take(...args);
      };
      start(`${i}`, { leases: { ...leases, take } });
    }
    await clock.advance(4 * TTL_MS);
    for (const moments of looks) {
      const pauses = moments.slice(1).map((ms, i) => ms - (moments[i] ?? 0));
      expect(pauses.length).to.be.greaterThan(8);
      for (const ms of pauses) expect(ms).to.be.within((3 / 16) * TTL_MS, (5 / 16) * TTL_MS);
    }
    const second = looks.map((moments) => moments[1] ?? 0);
    expect(new Set(second).size).to.equal(second.length);
    // By chance they lie so close together once in a million times.
    expect(Math.max(...second) - Math.min(...second)).to.be.greaterThan(TTL_MS / 40);
  });

  it('stops before the lease is over when the engine says nothing more, and goes on when it does', async () => {
    let fault: Fault = 'none';
    start('a', { leases: through(() => fault), stopsAfterMs: TTL_MS / 4 - 1 });
    await clock.advance(TTL_MS);
    fault = 'is silent';
    start('b');
    await clock.advance(2 * TTL_MS);
    const [lost, next] = spans;
    expect([lost?.who, next?.who]).to.deep.equal(['a', 'b']);
    expect(lost?.toMs).to.be.lessThan(next?.fromMs ?? 0);
    expect(errors).to.include('a: lost').and.not.include('a: overrun');

    fault = 'none';
    await holders[1]?.stop();
    await clock.advance(TTL_MS);
    expect(working()).to.deep.equal(['a']);
  });

  it('outlives an engine that is away for less than half the lease', async () => {
    let fault: Fault = 'none';
    start('a', { leases: through(() => fault) });
    await clock.advance(TTL_MS);
    fault = 'refuses';
    await clock.advance(TTL_MS / 2 - 1);
    fault = 'none';
    await clock.advance(3 * TTL_MS);
    expect(spans).to.have.lengthOf(1);
    expect(errors).to.include('a: away').and.not.include('a: lost');
  });

  it('stops at once when another has the lease', async () => {
    start('a');
    await clock.advance(1);
    await leases.release('projector', 'a');
    await leases.take('projector', 'thief', TTL_MS);
    await clock.advance(TTL_MS / 4);
    expect([working(), errors]).to.deep.equal([[], ['a: lost']]);
  });

  it('keeps the lease while its work is slow to stop, so that nobody begins before', async () => {
    const first = start('a', { stopsAfterMs: 3 * TTL_MS });
    await clock.advance(1);
    start('b');
    const stopped = first.stop();
    await clock.advance(3 * TTL_MS - 1);
    expect(working()).to.deep.equal(['a']);
    await clock.advance(TTL_MS);
    await stopped;
    expect([working(), errors]).to.deep.equal([['b'], []]);
  });

  it('says so when its work does not stop in time, and does not begin it a second time', async () => {
    let fault: Fault = 'none';
    start('a', { leases: through(() => fault), stopsAfterMs: 5 * TTL_MS });
    await clock.advance(1);
    fault = 'refuses';
    await clock.advance(TTL_MS + TTL_MS / 4);
    fault = 'none';
    await clock.advance(3 * TTL_MS);
    expect(errors).to.include('a: overrun');
    expect(spans).to.have.lengthOf(1);
  });

  it('begins failed work anew', async () => {
    let begun = 0;
    start('a', {
      run: async () => {
        begun += 1;
        throw new Error('not yet');
      },
    });
    await clock.advance(2 * TTL_MS);
    expect(begun).to.be.greaterThan(2);
    expect(new Set(errors)).to.deep.equal(new Set(['a: failed']));
  });

  it('gives back at its stop what it was given without hearing of it', async () => {
    const holder = start('a', { leases: through(once('acts and is silent')) });
    const stopped = holder.stop();
    await clock.advance(TTL_MS / 2);
    await stopped;
    expect(await leases.take('projector', 'b', TTL_MS)).to.equal(true);
  });

  function once(first: Fault): () => Fault {
    let isFirst = true;
    return () => {
      const fault = isFirst ? first : 'none';
      isFirst = false;
      return fault;
    };
  }

  it('never works beside another, whatever the engine does', async () => {
    const holder = fc.record({
      healthyCalls: fc.integer({ min: 1, max: 6 }),
      faultyCalls: fc.integer({ min: 0, max: 30 }),
      fault: fc.constantFrom<Fault>('refuses', 'is silent', 'acts and is silent'),
      latencyMs: fc.integer({ min: 0, max: TTL_MS / 8 }),
      beginsAtMs: fc.integer({ min: 0, max: 4_000 }),
      stopsAfterMs: fc.constantFrom(0, TTL_MS / 4 - 1),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(holder, { minLength: 3, maxLength: 5 }), async (all) => {
        clock = handClock();
        leases = createMemoryLeases(clock.nowMs);
        spans = [];
        holders = [];
        const ordered = [...all].sort((a, b) => a.beginsAtMs - b.beginsAtMs);
        for (const [i, one] of ordered.entries()) {
          await clock.advance(one.beginsAtMs - clock.nowMs());
          let calls = 0;
          const fault = (): Fault => {
            calls += 1;
            const isFaulty = calls > one.healthyCalls && calls <= one.healthyCalls + one.faultyCalls;
            return isFaulty ? one.fault : 'none';
          };
          start(`${i}`, { leases: through(fault, one.latencyMs), stopsAfterMs: one.stopsAfterMs });
        }
        await clock.advance(8 * TTL_MS);
        const inOrder = [...spans].sort((a, b) => a.fromMs - b.fromMs);
        inOrder.forEach((span, i) => expect(span.fromMs).to.be.at.least(inOrder[i - 1]?.toMs ?? 0));
        const stopped = Promise.all(holders.map((one) => one.stop()));
        await clock.advance(10 * TTL_MS);
        await stopped;
      }),
      { numRuns: 60 },
    );
  });

  it('runs by the clock of the machine when no other is given', async () => {
    const own = createMemoryLeases();
    const begun: string[] = [];
    const [first, second] = ['a', 'b'].map((who) =>
      holdLease({
        leases: own,
        name: 'n',
        holder: who,
        ttlMs: 2_000,
        run: (signal) => {
          begun.push(who);
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
        },
        onError: () => {},
      }),
    );
    while (begun.length === 0) await delay(1);
    await first?.stop();
    while (begun.length === 1) await delay(1);
    await second?.stop();
    expect(begun).to.deep.equal(['a', 'b']);
  });
});
