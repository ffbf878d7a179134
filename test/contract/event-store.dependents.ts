import { expect } from 'chai';
import { type Append, type EventStore, NO_STREAM, type DependentsResult } from '../../events/event-store.ts';
import type { NewEvent } from '../../events/event.ts';
import { append, eventsOf, idsOf, isRising, pagesUntil, readAll } from '../support/event-log.ts';
import { newEvent, newEvents, newStream } from '../support/new-event.ts';
import { rejectionOf } from '../support/rejection.ts';

/** For engines that commit several streams at once. */
export function commitsDependents(store: () => EventStore): void {
  const begin = (events: readonly NewEvent[] = [newEvent()]): Append => ({
    streamId: newStream(),
    expectedRevision: NO_STREAM,
    events,
  });
  const write = async (first: Append, ...dependents: Append[]): Promise<DependentsResult> => {
    const result = await store().appendAll?.(first, dependents);
    if (result === undefined) throw new Error('this engine has no commits of several streams');
    return result;
  };
  const idsIn = async (...appends: Append[]): Promise<string[][]> =>
    Promise.all(appends.map(async ({ streamId }) => idsOf(await readAll(store(), streamId))));

  describe('appendAll', () => {
    it('writes the first append and every dependent, one after another, for readers and followers', async () => {
      const all = [begin(newEvents(2)), begin(), begin(newEvents(3))] as const;
      const after = await store().head();
      const { first, dependents } = await write(...all);

      expect(first).to.include({ ok: true, revision: 1 });
      expect(dependents).to.deep.equal([true, true]);
      expect(await idsIn(...all)).to.deep.equal(all.map(({ events }) => idsOf(events)));
      const written = all.flatMap(({ events }) => idsOf(events));
      const isThere = ({ id }: { readonly id: string }): boolean => written.includes(id);
      const pages = await pagesUntil(store(), { after }, (events) => events.filter(isThere).length === 6);
      const followed = eventsOf(pages).filter(isThere);
      expect(idsOf(followed)).to.deep.equal(written);
      const positions = followed.map(({ position }) => position);
      expect(positions).to.satisfy(isRising);
      expect(first).to.have.property('position', positions[1]);
    });

    it('writes no dependent of an append that comes too late', async () => {
      const first = begin();
      await append(store(), first.streamId, NO_STREAM, [newEvent()]);
      const dependent = begin();

      expect(await write(first, dependent)).to.deep.equal({
        first: { ok: false, actualRevision: 0 },
        dependents: [false],
      });
      expect(await idsIn(dependent)).to.deep.equal([[]]);
    });

    it('leaves out a dependent whose stream stands elsewhere, and nothing else', async () => {
      const [first, late, other] = [begin(), begin(), begin()];
      const there = newEvent();
      await append(store(), late.streamId, NO_STREAM, [there]);

      const { first: result, dependents } = await write(first, late, other);
      expect(result.ok).to.equal(true);
      expect(dependents).to.deep.equal([false, true]);
      expect(await idsIn(first, late, other)).to.deep.equal([
        idsOf(first.events),
        [there.id],
        idsOf(other.events),
      ]);
    });

    it('answers the identical call with the first outcome, and writes nothing again', async () => {
      const all = [begin(newEvents(2)), begin(), begin()] as const;
      const once = await write(...all);
      await append(store(), all[1].streamId, 0, [newEvent()]);

      expect(await write(...all)).to.deep.equal(once);
      expect((await idsIn(...all)).map(({ length }) => length)).to.deep.equal([2, 2, 1]);
    });

    it('writes what is missing of dependents when the first append is there', async () => {
      const [first, dependent] = [begin(), begin()];
      await append(store(), first.streamId, NO_STREAM, first.events);

      expect((await write(first, dependent)).dependents).to.deep.equal([true]);
      expect(await idsIn(first, dependent)).to.deep.equal([idsOf(first.events), idsOf(dependent.events)]);
    });

    it('writes nothing at all where a dependent is no append', async () => {
      for (const bad of [begin([]), { ...begin(), expectedRevision: 0.5 }]) {
        const first = begin();
        expect(await rejectionOf(write(first, bad))).to.be.instanceOf(RangeError);
        expect(await idsIn(first)).to.deep.equal([[]]);
      }
    });

    it('writes nothing at all where a dependent has an event that is elsewhere in the log', async () => {
      const elsewhere = begin();
      await append(store(), elsewhere.streamId, NO_STREAM, elsewhere.events);
      const first = begin();

      await rejectionOf(write(first, begin(), begin(elsewhere.events)));
      expect(await idsIn(first)).to.deep.equal([[]]);
    });
  });
}
