/** However followers come, go, dawdle and fail: each is given every event of its types once and in order. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { type EventStore, NO_STREAM, StoreUnavailable } from '../../events/event-store.ts';
import type { RecordedEvent } from '../../events/event.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { sharedLog } from '../../src/following/shared-log.ts';
import { append, eventsOf, idsOf, pagesUntil } from '../support/event-log.ts';
import { newEvents, newStream } from '../support/new-event.ts';
import { type OpenFollower, openFollower } from '../support/open-follower.ts';
import { watchedSubscriptions } from '../support/watched-subscriptions.ts';

const TYPES = ['A', 'B', 'C'];
/** So few that followers fall behind all the time. */
const BOUNDS = { events: 8, chars: 1_000_000 };

type Step =
  | { readonly kind: 'append'; readonly type: string; readonly count: number }
  | {
      readonly kind: 'begin';
      readonly types: readonly string[];
      readonly pageSize: number;
      readonly from: number;
    }
  | { readonly kind: 'take' | 'leave'; readonly who: number }
  | { readonly kind: 'turns'; readonly count: number }
  | { readonly kind: 'fail' };

const who = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      type: fc.constantFrom(...TYPES),
      count: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('begin' as const),
      types: fc.subarray(TYPES, { minLength: 1 }),
      pageSize: fc.integer({ min: 1, max: 5 }),
      from: fc.nat(20),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('take' as const), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), who }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('turns' as const), count: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'fail' as const }) },
);

describe('A log that its followers share, however they interleave', () => {
  it('gives each every event of its types once and in order, and ends in one subscription', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        const watched = watchedSubscriptions(memoryEventStore());
        const log = sharedLog(watched.store, TYPES, BOUNDS);
        const followers: Follower[] = [];
        for (const one of steps) await take(one, log, followers, watched.failOnce);
        await finish(log, followers);

        const all = eventsOf(await pagesUntil(log, { after: null }, (_, page) => page.caughtUp));
        for (const follower of followers) expectWhole(follower, all);
        const live = followers.filter(({ hasLeft }) => !hasLeft);
        expect(watched.open()).to.equal(Math.min(1, live.length));
        await Promise.all(live.map((follower) => leave(follower)));
        expect(watched.open()).to.equal(0);
      }),
      { numRuns: 200 },
    );
  });
});

interface Follower {
  readonly types: readonly string[];
  readonly pageSize: number;
  readonly after: string | null;
  readonly events: RecordedEvent[];
  reached: string | null;
  hasLeft: boolean;
  /** What it was asked for and has not begun to take is left. */
  isFinishing: boolean;
  pages: OpenFollower;
  /** Pages that were asked for, one after the other. */
  taking: Promise<void>;
}

async function take(
  one: Step,
  log: EventStore,
  followers: Follower[],
  failOnce: (error: Error) => void,
): Promise<void> {
  switch (one.kind) {
    case 'append':
      await append(log, newStream(), NO_STREAM, newEvents(one.count, { type: one.type }));
      return;
    case 'begin':
      followers.push(await begun(one, log));
      return;
    case 'take': {
      const follower = followers[one.who];
      if (follower === undefined || follower.hasLeft) return;
      // Not waited for: it may be that nothing comes.
      follower.taking = follower.taking.then(() =>
        follower.isFinishing ? undefined : takePage(log, follower),
      );
      return;
    }
    case 'leave': {
      const follower = followers[one.who];
      if (follower !== undefined) await leave(follower);
      return;
    }
    case 'turns':
      for (let turn = 0; turn < one.count; turn += 1) await nextTurn();
      return;
    case 'fail':
      failOnce(new StoreUnavailable('the log is away'));
  }
}

async function begun(
  { types, pageSize, from }: Extract<Step, { kind: 'begin' }>,
  log: EventStore,
): Promise<Follower> {
  const all = eventsOf(await pagesUntil(log, { after: null }, (_, page) => page.caughtUp));
  const after = all[from]?.position ?? null;
  const pages = openFollower(log, { after, types, pageSize });
  return {
    types,
    pageSize,
    after,
    reached: after,
    events: [],
    hasLeft: false,
    isFinishing: false,
    pages,
    taking: Promise.resolve(),
  };
}

/** Where the log fails it goes on from the last page, as its followers do. */
async function takePage(log: EventStore, follower: Follower): Promise<void> {
  if (follower.hasLeft) return;
  try {
    const page = await follower.pages.take();
    if (page === null) return;
    expect(page.events.length).to.be.at.most(follower.pageSize);
    expect(page.position >= (follower.reached ?? '')).to.equal(true);
    follower.events.push(...page.events);
    follower.reached = page.position;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    const { reached: after, types, pageSize } = follower;
    follower.pages = openFollower(log, { after, types, pageSize });
  }
}

async function leave(follower: Follower): Promise<void> {
  follower.hasLeft = true;
  await follower.pages.leave();
  await follower.taking;
}

/** Twice, so that whoever had to catch up has joined the others by then. */
async function finish(log: EventStore, followers: readonly Follower[]): Promise<void> {
  const live = followers.filter(({ hasLeft }) => !hasLeft);
  for (const follower of live) follower.isFinishing = true;
  for (let round = 0; round < 3; round += 1) {
    const { position } = await append(log, newStream(), NO_STREAM, newEvents(1, { type: 'A' }));
    const upTo = async (follower: Follower): Promise<void> => {
      await follower.taking;
      while ((follower.reached ?? '') < position) await takePage(log, follower);
    };
    await Promise.all(live.map(upTo));
  }
}

function expectWhole({ types, after, reached, events }: Follower, all: readonly RecordedEvent[]): void {
  const due = all.filter(
    ({ type, position }) => types.includes(type) && position > (after ?? '') && position <= (reached ?? ''),
  );
  expect(idsOf(events)).to.deep.equal(idsOf(due));
}
