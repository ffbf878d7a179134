/** Commits on an engine that is atomic for each document, with their steps in any order that there can be. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { mongoViewStore } from '../../../infra/mongodb/view-store.ts';
import { ViewsUnavailable } from '../../../projections/view-store.ts';
import { counting, expectDocumentsOf, type History, project } from './counting-view.ts';
import { type ToyData, toyLink } from './toy-mongodb.ts';
import { openLive } from '../../support/open-live.ts';

const KEYS = ['a', 'b', 'c'];
const history: History = Array.from({ length: 24 }, (_, i) =>
  i % 9 === 8 ? null : (KEYS[(i * 2) % 3] ?? 'a'),
);

/** An entry is gone as soon as it may be: what has to hold without it is tried the more often. */
const KEPT_COMMITS = 0;
/** Others do several commits meanwhile. */
const STALLED_TURNS = 60;

/** A process: how many events it takes in at once, at which of its updates it stalls, and at which turn it dies. */
const writer = fc.record({
  batch: fc.integer({ min: 1, max: 5 }),
  stallsAt: fc.integer({ min: 1, max: 12 }),
  diesAt: fc.option(fc.integer({ min: 0, max: 60 })),
});
type Writer = typeof writer extends fc.Arbitrary<infer W> ? W : never;

describe('MongoDB commits in any order', () => {
  it('lead to what the events say, whoever stalls or dies', async function () {
    this.timeout(120_000);
    const choices = fc.infiniteStream(fc.nat());
    const writers = fc.array(writer, { minLength: 2, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(choices, writers, async (chosen, all) => {
        const data: ToyData = new Map();
        const survivor = mongoViewStore(
          toyLink(data, async () => {}),
          KEPT_COMMITS,
        );
        await openLive(survivor, [counting]);
        const waiting: (() => void)[] = [];
        const hop = (): Promise<void> => new Promise((resolve) => void waiting.push(resolve));
        let running = all.length;
        const done = all.map((one) => run(one, data, hop).finally(() => (running -= 1)));
        while (running > 0) {
          // Whoever went last is waiting again by then.
          await nextTurn();
          const [goes] = waiting.splice(chosen.next().value % Math.max(1, waiting.length), 1);
          goes?.();
        }
        await Promise.all(done);
        await project(survivor, history, () => 3);
        await expectDocumentsOf(history, survivor);
      }),
      { numRuns: 200 },
    );
  });
});

async function run(
  { batch, stallsAt, diesAt }: Writer,
  data: ToyData,
  hop: () => Promise<void>,
): Promise<void> {
  let turns = 0;
  let updates = 0;
  const turn = async (what: string): Promise<void> => {
    turns += 1;
    if (diesAt !== null && turns > diesAt) throw new ViewsUnavailable('it is dead');
    const isUpdate = what.startsWith('update');
    if (isUpdate) updates += 1;
    const hops = isUpdate && updates === stallsAt ? STALLED_TURNS : 1;
    for (let i = 0; i < hops; i++) await hop();
  };
  try {
    await project(mongoViewStore(toyLink(data, turn), KEPT_COMMITS), history, () => batch);
  } catch (error) {
    if (!(error instanceof ViewsUnavailable)) throw error;
  }
}
