/** Whatever log, whenever it is broken off, by whatever: in the end the target is the source, each event once. */
import { expect } from 'chai';
import fc from 'fast-check';
import { type EventStore, NO_STREAM, OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { append } from '../support/event-log.ts';
import { newEvents } from '../support/new-event.ts';
import { withOtherPositions } from '../support/other-positions.ts';
import { allOf, contentOf, memoryLog, migrate, migrated } from './logs.ts';

/** How one run ends: at this append, or when the target is read or asked for the so-manieth time. */
interface End {
  readonly at: number;
  readonly kind: 'before it writes' | 'after it wrote' | 'while it reads' | 'signal';
}

const runs: fc.Arbitrary<readonly { stream: number; events: number }[]> = fc.array(
  fc.record({ stream: fc.integer({ min: 0, max: 4 }), events: fc.integer({ min: 1, max: 5 }) }),
  { maxLength: 40 },
);
const ends: fc.Arbitrary<readonly End[]> = fc.array(
  fc.record({
    at: fc.integer({ min: 1, max: 30 }),
    kind: fc.constantFrom('before it writes', 'after it wrote', 'while it reads', 'signal'),
  }),
  { maxLength: 6 },
);

describe('A migration that is broken off again and again', () => {
  it('ends with the same log as one that was not, each event once and in its place', async () => {
    await fc.assert(
      fc.asyncProperty(runs, ends, fc.integer({ min: 1, max: 8 }), async (history, breaks, appends) => {
        const source = memoryLog();
        await write(source.events, history);
        const store = withOtherPositions(memoryEventStore());
        const target = { ...memoryLog(store), together: { appends, bytes: 1e9 } };
        for (const end of breaks) {
          const stop = new AbortController();
          const mortal = { ...target, events: dyingStore(store, end, stop) };
          // Any way to end will do: the next run goes on from what is there.
          const ended = migrate(source, mortal, { signal: stop.signal });
          await ended.catch((error: unknown) => {
            if (!(error instanceof StoreUnavailable || error instanceof OutcomeUnknown)) throw error;
          });
          const there = await contentOf(target);
          expect(there).to.deep.equal((await contentOf(source)).slice(0, there.length));
        }
        const { events, digests } = await migrated(source, target);

        expect(await contentOf(target)).to.deep.equal(await contentOf(source));
        expect(events).to.equal((await allOf(source)).length);
        expect(digests.target).to.equal(digests.source);
      }),
      { numRuns: 300 },
    );
  });
});

async function write(
  store: EventStore,
  history: readonly { readonly stream: number; readonly events: number }[],
): Promise<void> {
  const heads = new Map<number, number>();
  for (const { stream, events } of history) {
    const head = heads.get(stream) ?? NO_STREAM;
    await append(store, `stream-${stream}`, head, newEvents(events));
    heads.set(stream, head + events);
  }
}

/** The store as a process sees it that dies: once its end has come, nothing of it reaches the log any more. */
function dyingStore(store: EventStore, { at, kind }: End, stop: AbortController): EventStore {
  let appends = 0;
  let events = 0;
  let isDead = false;
  const orDead = (): void => {
    if (isDead) throw new StoreUnavailable('dead');
  };
  return {
    ...store,
    async append(...asked) {
      orDead();
      appends += 1;
      if (appends !== at || kind === 'while it reads') return store.append(...asked);
      if (kind === 'signal') {
        stop.abort();
        return store.append(...asked);
      }
      isDead = true;
      if (kind === 'after it wrote') await store.append(...asked);
      throw new OutcomeUnknown('dead');
    },
    async *subscribe(options) {
      for await (const page of store.subscribe(options)) {
        orDead();
        events += page.events.length;
        if (kind === 'while it reads' && events >= at) isDead = true;
        orDead();
        yield page;
      }
    },
  };
}
