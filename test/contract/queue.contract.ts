/** What every Queue promises. An adapter's test file hands in how to open one. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { createMemoryQueue } from '../../infra/memory/queue.ts';
import { type NewTask, type Queue, REMEMBERED_MS } from '../../src/ports/queue.ts';

const NOW = Date.parse('2026-11-27T12:00:00.000Z');
const LEASE_MS = 60_000;

export function queueContract(name: string, open: () => Promise<Queue>): void {
  describe(`Queue: ${name}`, () => {
    let queue: Queue;
    let kind: string;

    before(async () => (queue = await open()));
    after(() => queue.close());
    beforeEach(() => (kind = `kind-${randomUUID()}`));

    const task = (more: Partial<NewTask> = {}): NewTask => ({
      id: randomUUID(),
      name: kind,
      payload: '{"a":1}',
      dueAtMs: NOW,
      ...more,
    });
    const claim = (nowMs = NOW, limit = 10) => queue.claim(kind, limit, LEASE_MS, nowMs);

    it('hands out a task when it is due, with its payload', async () => {
      const later = task({ dueAtMs: NOW + 1_000 });
      await queue.add([later], NOW);
      expect(await claim(NOW + 999)).to.deep.equal([]);
      const [given] = await claim(NOW + 1_000);
      expect(given).to.include({ id: later.id, payload: later.payload, attempt: 1, addedAtMs: NOW });
    });

    it('gives the longest due first, and each to one claimant', async () => {
      const [first, second] = [task({ dueAtMs: NOW - 2 }), task({ dueAtMs: NOW - 1 })];
      await queue.add([second, first], NOW);
      const given = await Promise.all([claim(NOW, 1), claim(NOW, 1), claim(NOW, 1)]);
      expect(given.flat().map(({ id }) => id)).to.deep.equal([first.id, second.id]);
    });

    it('adds an id once, also when the task is long finished, and says how many were new', async () => {
      const one = task();
      expect(await queue.add([one, one], NOW)).to.equal(1);
      const [given] = await claim();
      await queue.finish(given!, NOW);
      expect(await queue.add([one], NOW + REMEMBERED_MS - 1)).to.equal(0);
      expect(await claim(NOW + REMEMBERED_MS)).to.deep.equal([]);
    });

    it('hands a task out again when its claimant is not heard of', async () => {
      await queue.add([task()], NOW);
      const [lost] = await claim();
      expect(await claim(NOW + LEASE_MS - 1)).to.deep.equal([]);
      const [again] = await claim(NOW + LEASE_MS);
      expect(again).to.include({ id: lost!.id, attempt: 2 });
      await queue.finish(lost!, NOW);
      expect(await queue.nextDueAtMs(kind), 'the late claimant settled nothing').to.equal(NOW + 2 * LEASE_MS);
      await queue.finish(again!, NOW);
      expect(await queue.nextDueAtMs(kind)).to.equal(null);
    });

    it('postpones a failed task, counting its attempts', async () => {
      await queue.add([task()], NOW);
      const [given] = await claim();
      await queue.postpone(given!, NOW + 5_000, null);
      expect(await queue.nextDueAtMs(kind)).to.equal(NOW + 5_000);
      expect((await claim(NOW + 5_000))[0]).to.include({ attempt: 2, addedAtMs: NOW });
    });

    it('repeats a task as if it had just been added', async () => {
      await queue.add([task()], NOW);
      const [given] = await claim();
      await queue.postpone(given!, NOW + 5_000, { nowMs: NOW + 1_000 });
      expect((await claim(NOW + 5_000))[0]).to.include({ attempt: 1, addedAtMs: NOW + 1_000 });
    });

    it('tells who listens that tasks came', async () => {
      let rung = 0;
      queue.onAdded(() => (rung += 1));
      const one = task();
      await queue.add([one], NOW);
      await queue.add([one], NOW);
      expect(rung).to.equal(1);
    });

    it('does what the model does, whatever is asked of it', async () => {
      const ids = fc.integer({ min: 0, max: 4 });
      const step = fc.oneof(
        fc.record({ do: fc.constant('add' as const), id: ids, inMs: fc.integer({ min: 0, max: 50 }) }),
        fc.record({
          do: fc.constant('claim' as const),
          id: fc.integer({ min: 1, max: 3 }),
          inMs: fc.constant(0),
        }),
        fc.record({
          do: fc.constantFrom('finish' as const, 'postpone' as const),
          id: ids,
          inMs: fc.integer({ min: 1, max: 50 }),
        }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          const run = randomUUID();
          const model = createMemoryQueue();
          const held: { id: string; claims: number[] }[] = [];
          let nowMs = NOW;
          for (const { do: what, id, inMs } of steps) {
            nowMs += 7;
            if (what === 'add') {
              const one = { id: `${run}-${id}`, name: run, payload: '{}', dueAtMs: nowMs + inMs };
              expect(await queue.add([one], nowMs)).to.equal(await model.add([one], nowMs));
            } else if (what === 'claim') {
              const [got, wanted] = await Promise.all(
                [queue, model].map((one) => one.claim(run, id, 20, nowMs)),
              );
              expect(got!.map(plain)).to.deep.equal(wanted!.map(plain));
              got!.forEach((given, i) =>
                held.push({ id: given.id, claims: [given.claim, wanted![i]!.claim] }),
              );
            } else {
              const one = held[id % Math.max(1, held.length)];
              if (one === undefined) continue;
              for (const [i, either] of [queue, model].entries()) {
                const claimed = { id: one.id, claim: one.claims[i]! };
                await (what === 'finish'
                  ? either.finish(claimed, nowMs)
                  : either.postpone(claimed, nowMs + inMs, null));
              }
            }
            expect(await queue.nextDueAtMs(run)).to.equal(await model.nextDueAtMs(run));
          }
        }),
        { numRuns: 40 },
      );
    });
  });
}

function plain({ claim: _claim, ...rest }: { readonly claim: number }): object {
  return rest;
}
