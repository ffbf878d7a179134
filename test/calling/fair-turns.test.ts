import { setImmediate as nextRound } from 'node:timers/promises';
import { expect } from 'chai';
import { createFairTurns } from '../../src/calling/fair-turns.ts';

describe('Turns at the event loop', () => {
  /** Reads, each of which holds the loop for so long, by a clock that they alone move. */
  function reading(heldMs: number) {
    let clockMs = 0;
    let round = 0;
    const turns = createFairTurns(() => clockMs);
    const went: { whose: string; round: number }[] = [];
    async function read(whose: string): Promise<void> {
      const turn = turns.turnOf(whose);
      if (turn !== undefined) await turn;
      // As an operation has some steps before it asks its view.
      await Promise.resolve().then(() => undefined);
      clockMs += heldMs;
      went.push({ whose, round });
    }
    async function until(all: Promise<unknown>): Promise<void> {
      let isOver = false;
      void all.finally(() => (isOver = true));
      while (!isOver) {
        await nextRound();
        round += 1;
      }
    }
    return { read, until, went };
  }

  it('go to another account before those who are a hundred', async () => {
    const { read, until, went } = reading(10);
    const many = Array.from({ length: 100 }, () => read('many'));
    await nextRound();
    await until(Promise.all([...many, read('one')]));
    // Whoever ran first, in the round before, and whose turn it was then.
    expect(went.findIndex(({ whose }) => whose === 'one')).to.be.below(4);
    expect(went).to.have.lengthOf(101);
  });

  it('are of one dear read a round, and of as many cheap ones as there is time for', async () => {
    for (const [heldMs, most] of [
      [10, 1],
      [1, 4],
    ] as const) {
      const { read, until, went } = reading(heldMs);
      await until(Promise.all(Array.from({ length: 40 }, () => read('many'))));
      // The first one began before the first round that is counted from its start.
      const perRound = new Map<number, number>();
      for (const { round } of went) if (round > 0) perRound.set(round, (perRound.get(round) ?? 0) + 1);
      expect(Math.max(...perRound.values())).to.equal(most);
    }
  });

  it('are not waited for where nobody else reads', async () => {
    const turns = createFairTurns(() => 0);
    expect(turns.turnOf('one')).to.equal(undefined);
    await nextRound();
    expect(turns.turnOf('one')).to.equal(undefined);
  });
});
