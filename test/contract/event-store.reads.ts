import { expect } from 'chai';
import { type EventStore, NO_STREAM, type ReadOptions } from '../../events/event-store.ts';
import { append, idsOf, isRising, readAll } from '../support/event-log.ts';
import { newEvents, newStream } from '../support/new-event.ts';

export function readsEitherWay(store: () => EventStore): void {
  describe('read', () => {
    const stream = newStream();
    /** Enough for several pages of any adapter. */
    const events = newEvents(1_300);

    before(async () => {
      await append(store(), stream, NO_STREAM, events.slice(0, 700));
      await append(store(), stream, 699, events.slice(700));
    });

    const readIds = async (options?: ReadOptions) => idsOf(await readAll(store(), stream, options));
    const reversed = idsOf(events).reverse();

    it('gives nothing for a stream that does not exist', async () => {
      expect(await readAll(store(), newStream())).to.deep.equal([]);
      expect(await readAll(store(), newStream(), { direction: 'backwards' })).to.deep.equal([]);
      expect(await readAll(store(), newStream(), { from: 5 })).to.deep.equal([]);
    });

    it('gives all events in order, over however many pages', async () => {
      const recorded = await readAll(store(), stream);
      expect(idsOf(recorded)).to.deep.equal(idsOf(events));
      expect(recorded.map(({ revision }) => revision)).to.deep.equal(events.map((_, i) => i));
      expect(recorded.map(({ position }) => position)).to.satisfy(isRising);
    });

    it('starts forwards at a revision, that one included', async () => {
      expect(await readIds({ from: 0 })).to.deep.equal(idsOf(events));
      expect(await readIds({ from: 1_234 })).to.deep.equal(idsOf(events.slice(1_234)));
      expect(await readIds({ from: 1_300 })).to.deep.equal([]);
    });

    it('reads backwards from the end', async () => {
      expect(await readIds({ direction: 'backwards' })).to.deep.equal(reversed);
    });

    it('reads backwards from a revision, that one included', async () => {
      expect(await readIds({ direction: 'backwards', from: 1_234 })).to.deep.equal(reversed.slice(65));
      expect(await readIds({ direction: 'backwards', from: 0 })).to.deep.equal(reversed.slice(-1));
      expect(await readIds({ direction: 'backwards', from: 5_000 })).to.deep.equal(reversed);
    });

    it('can be left early, any number of times', async () => {
      for (let i = 0; i < 200; i += 1) {
        for await (const event of store().read(stream, { direction: 'backwards' })) {
          expect(event.id).to.equal(reversed[0]);
          break;
        }
      }
    });
  });

  describe('head', () => {
    it('is at or after what was appended last', async () => {
      const { position } = await append(store(), newStream(), NO_STREAM, newEvents(2));
      const head = await store().head();

      expect(head !== null && head >= position, `${head} >= ${position}`).to.equal(true);
    });
  });
}
