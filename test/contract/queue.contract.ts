/** What every Queue promises. An adapter's test file hands in how to open one. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import type { NewTask, Queue, Task } from '../../src/ports/queue.ts';
import { until } from '../support/until.ts';

const LONG_MS = 60_000;
const SHORT_MS = 50;

export interface OpenedQueue {
  readonly queue: Queue;
  /** By the clock that the queue goes by. */
  readonly nowMs: () => number;
  /** Lets time pass for the queue. */
  readonly pass: (ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

export function queueContract(name: string, open: () => Promise<OpenedQueue>): void {
  describe(`Queue: ${name}`, () => {
    let opened: OpenedQueue;
    let queue: Queue;
    let kind: string;
    before(async () => {
      opened = await open();
      queue = opened.queue;
    });
    after(() => opened.close());
    beforeEach(() => (kind = `kind-${randomUUID()}`));

    /** Due in so many milliseconds. */
    const task = (inMs = 0, id: string = randomUUID()): NewTask => ({
      id,
      name: kind,
      payload: '{"a":1}',
      dueAtMs: opened.nowMs() + inMs,
    });
    const claim = (limit = 10, leaseMs = LONG_MS) => queue.claim(kind, limit, leaseMs);

    /** What is handed out once the time has passed, as soon as anything is. */
    async function claimAfter(ms: number, leaseMs = LONG_MS): Promise<readonly Task[]> {
      await opened.pass(ms);
      let given: readonly Task[] = [];
      await until('a task is handed out', async () => (given = await claim(10, leaseMs)).length > 0);
      return given;
    }

    it('keeps the last mark of the log that it was given', async () => {
      const mark = {
        logId: 'log',
        position: '1',
        eventId: 'evt',
        at: '2026-11-27T12:00:00.000Z',
        digest: null,
      };
      for (const known of [
        { mark, reached: '1' },
        { mark: { ...mark, position: '2' }, reached: '3' },
      ]) {
        await queue.keepMark(known);
        expect(await queue.mark()).to.deep.equal(known);
      }
    });

    it('hands out a task with its payload when it is due, and not before', async () => {
      const beganAtMs = opened.nowMs();
      const [now, soon, later] = [task(), task(SHORT_MS), task(LONG_MS)];
      await queue.add([later, soon]);
      await queue.add([now]);
      const [given] = await claim(1);
      expect(given).to.include({ id: now.id, name: kind, payload: now.payload, attempt: 1 });
      expect(given?.addedAtMs).to.be.within(beganAtMs, opened.nowMs());
      expect((await claimAfter(SHORT_MS)).map(({ id }) => id)).to.deep.equal([soon.id]);
      expect(await queue.nextDueAtMs(kind)).to.equal(later.dueAtMs);
    });

    it('hands out in the order in which tasks fell due', async () => {
      const due = [task(), task(-1_000), task()];
      for (const one of due) await queue.add([one]);
      const ids = async () => [...(await claim(2)), ...(await claim(2))].map(({ id }) => id);
      expect(await ids()).to.deep.equal(due.map(({ id }) => id));
      const later = [task(3), task(1), task(2)];
      await queue.add(later);
      await opened.pass(SHORT_MS);
      expect(await ids()).to.deep.equal([later[1]!, later[2]!, later[0]!].map(({ id }) => id));
    });

    it('hands each to one claimant, however many ask at once', async () => {
      const all = Array.from({ length: 30 }, () => task());
      await queue.add(all);
      const given = await Promise.all(Array.from({ length: 20 }, () => claim(3)));
      expect(new Set(given.flat().map(({ id }) => id))).to.deep.equal(new Set(all.map(({ id }) => id)));
      expect(given.flat()).to.have.lengthOf(all.length);
    });

    it('adds an id once, also when the task is held or finished', async () => {
      const one = task();
      await queue.add([one, one]);
      const given = await claim();
      await queue.add([one]);
      expect(given).to.have.lengthOf(1);
      expect(await claim()).to.deep.equal([]);
      await queue.finish(given[0]!);
      await queue.add([one]);
      expect([await claim(), await queue.nextDueAtMs(kind)]).to.deep.equal([[], null]);
    });

    it('keeps an id as it is, whatever it looks like', async () => {
      const ids = ['7', 'a:b:c', 'dlv_1:é %/{}', ' ', '0:1']
        .map((id) => `${id}${kind}`)
        .concat(`${Date.now()}`);
      const name = `${kind}:with/colons`;
      await queue.add(ids.map((id) => ({ ...task(0, id), name })));
      const given = await queue.claim(name, 10, LONG_MS);
      expect(given.map(({ id }) => id)).to.deep.equal(ids);
      for (const one of given) await queue.finish(one);
      expect(await queue.nextDueAtMs(name)).to.equal(null);
    });

    it('hands a task out again when its claimant is not heard of, who settles nothing any more', async () => {
      await queue.add([task()]);
      const [lost] = await claim(1, SHORT_MS);
      const [again] = await claimAfter(SHORT_MS, SHORT_MS);
      expect(again).to.include({ id: lost!.id, attempt: 2, addedAtMs: lost!.addedAtMs });
      await queue.finish(lost!);
      await queue.postpone(lost!, opened.nowMs() + LONG_MS);
      await queue.repeat(lost!, opened.nowMs() + LONG_MS);
      const [third] = await claimAfter(SHORT_MS, SHORT_MS);
      expect(third).to.include({ id: lost!.id, attempt: 3 });
    });

    it('leaves a task to its claimant until then', async () => {
      await queue.add([task()]);
      await claim();
      await opened.pass(SHORT_MS);
      expect(await claim()).to.deep.equal([]);
    });

    it('postpones a failed task, counting its attempts', async () => {
      await queue.add([task()]);
      const [given] = await claim();
      const dueAtMs = opened.nowMs() + SHORT_MS;
      await queue.postpone(given!, dueAtMs);
      expect(await queue.nextDueAtMs(kind)).to.be.within(dueAtMs - 1, dueAtMs + 1);
      const [again] = await claimAfter(SHORT_MS);
      expect(again).to.include({ id: given!.id, attempt: 2, addedAtMs: given!.addedAtMs });
      await queue.postpone(again!, opened.nowMs() + LONG_MS);
      expect(await claim()).to.deep.equal([]);
    });

    it('repeats a task as if it had just been added', async () => {
      await queue.add([task()]);
      const [given] = await claim();
      await opened.pass(SHORT_MS);
      await queue.repeat(given!, opened.nowMs());
      const [again] = await claimAfter(0);
      expect(again).to.include({ id: given!.id, payload: given!.payload, attempt: 1 });
      expect(again!.addedAtMs).to.be.at.least(given!.addedAtMs + SHORT_MS);
    });

    it('tells when the next task is due', async () => {
      expect(await queue.nextDueAtMs(kind)).to.equal(null);
      const [later, sooner] = [task(2 * LONG_MS), task(LONG_MS)];
      await queue.add([later, sooner]);
      expect(await queue.nextDueAtMs(kind)).to.equal(sooner.dueAtMs);
      await queue.add([task()]);
      expect(await queue.nextDueAtMs(kind)).to.be.at.most(opened.nowMs());
    });

    it('tells who listens that tasks came', async () => {
      let rung = 0;
      queue.onAdded(() => (rung += 1));
      await queue.add([task()]);
      expect(rung).to.equal(1);
    });

    it('does what is asked of it in whatever order', async () => {
      const ids = fc.integer({ min: 0, max: 4 });
      const step = fc.oneof(
        fc.record({ do: fc.constant('add' as const), which: ids, isDue: fc.boolean() }),
        fc.record({ do: fc.constant('claim' as const), which: fc.integer({ min: 1, max: 3 }) }),
        fc.record({
          do: fc.constantFrom('finish' as const, 'postpone' as const, 'repeat' as const),
          which: ids,
          isDue: fc.boolean(),
        }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          kind = `kind-${randomUUID()}`;
          const due = new Set<string>();
          const attempts = new Map<string, number>();
          const claims: Task[] = [];
          const valid = new Map<string, string>();
          for (const one of steps) {
            if (one.do === 'add') {
              const fresh = task(one.isDue ? 0 : LONG_MS, `${kind}-${one.which}`);
              await queue.add([fresh]);
              if (!attempts.has(fresh.id)) {
                attempts.set(fresh.id, 0);
                if (one.isDue) due.add(fresh.id);
              }
            } else if (one.do === 'claim') {
              const given = await claim(one.which);
              expect(given).to.have.lengthOf(Math.min(one.which, due.size));
              for (const { id, attempt, claim: proof } of given) {
                expect(due.delete(id), 'it was due').to.equal(true);
                attempts.set(id, (attempts.get(id) ?? 0) + 1);
                expect(attempt).to.equal(attempts.get(id));
                valid.set(id, proof);
              }
              claims.push(...given);
            } else {
              const held = claims[one.which % Math.max(1, claims.length)];
              if (held === undefined) continue;
              const dueAtMs = opened.nowMs() + (one.isDue ? 0 : LONG_MS);
              await (one.do === 'finish' ? queue.finish(held) : queue[one.do](held, dueAtMs));
              if (valid.get(held.id) !== held.claim) continue;
              valid.delete(held.id);
              if (one.do === 'repeat') attempts.set(held.id, 0);
              if (one.do !== 'finish' && one.isDue) due.add(held.id);
            }
          }
          const rest = await claim();
          expect(new Set(rest.map(({ id }) => id))).to.deep.equal(due);
        }),
        { numRuns: 40 },
      );
    });
  });
}
