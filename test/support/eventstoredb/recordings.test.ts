/** The double answers as the servers did, whole answers, in every scenario that was recorded. */
import { setTimeout as delay } from 'node:timers/promises';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { expect } from 'chai';
import type { Generation } from './generation.ts';
import { type Difference, firstDifference } from './recordings/comparing.ts';
import { play } from './recordings/player.ts';
import { readScenarios, type Scenario } from './recordings/scenario.ts';
import type { Waits } from './recordings/stage.ts';
import { startWithClient } from './with-client.ts';

const AT_ONCE = 16;
/** For an answer that is to come, however busy the machine. */
const PATIENCE_MS = 100_000;

describe('Recordings of real servers', () => {
  for (const [generation, scenarios] of [
    ['23.10', 728],
    ['24.2', 727],
  ] as const) {
    it(`are answered alike by the double of ${generation}`, async function () {
      this.timeout(2 * PATIENCE_MS);
      expect(await differences(generation, scenarios)).to.deep.equal([]);
    });
  }
});

async function differences(generation: Generation, expected: number): Promise<readonly Difference[]> {
  const scenarios = await readScenarios(generation);
  expect(scenarios).to.have.length(expected);
  const { client, stop } = await startWithClient({ generation });
  const found: Difference[] = [];
  const replay = async (scenario: Scenario): Promise<void> => {
    const difference = firstDifference(scenario, await play(client, scenario, ROUND_TRIPS));
    if (difference !== null) found.push(difference);
  };
  const together = scenarios.filter((scenario) => !looksAtAll(scenario));
  const alone = scenarios.filter(looksAtAll);
  try {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = together.shift(); next !== undefined; next = together.shift()) await replay(next);
      }),
    );
    for (const scenario of alone) await replay(scenario);
  } finally {
    await stop();
  }
  return found;
}

/** These see what others do. */
function looksAtAll({ steps }: Scenario): boolean {
  return steps.some(
    ({ call }) => call.do === 'readAll' || (call.do === 'subscribe' && call.stream === undefined),
  );
}

/** What comes over one connection comes in order: who hears of a later call has heard all before it. */
const ROUND_TRIPS: Waits = {
  async quiet(client, heard) {
    for (let before = -1, same = 0; same < 2; before = heard()) {
      await roundTrip(client);
      same = heard() === before ? same + 1 : 0;
    }
  },
  patience: async (client, recorded) => {
    if (recorded['error'] !== 'no answer') return await delay(PATIENCE_MS, undefined, { ref: false });
    for (let trips = 0; trips < 5; trips += 1) await roundTrip(client);
  },
};

async function roundTrip(client: EventStoreDBClient): Promise<void> {
  await client.getStreamMetadata('a-round-trip');
}
