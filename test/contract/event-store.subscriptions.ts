import { expect } from 'chai';
import type { NewEvent, RecordedEvent } from '../../events/event.ts';
import { type EventPage, type EventStore, NO_STREAM } from '../../events/event-store.ts';
import { append, appendMixed, eventsOf, idsOf, isRising, pagesUntil, readAll } from '../support/event-log.ts';
import { newEvent, newEvents, newStream } from '../support/new-event.ts';
import { rejectionOf } from '../support/rejection.ts';

export function followsTheLog(store: () => EventStore, connect: () => Promise<EventStore>): void {
  describe('subscribe', () => {
    it('catches up in order, in pages that each say how far they reach', async () => {
      const after = await store().head();
      const events = await appendMixed(store(), 3, 40);
      const pages = await pagesUntil(store(), { after, pageSize: 7 }, seen(events));

      expect(idsOf(eventsOf(pages)).filter(isOneOf(events))).to.deep.equal(idsOf(events));
      expect(eventsOf(pages).map(({ position }) => position)).to.satisfy(isRising);
      expect(Math.max(...pages.map((page) => page.events.length))).to.equal(7);
      for (const page of pages) {
        expect(page.events.every(({ position }) => position <= page.position)).to.equal(true);
      }
    });

    it('gives the whole envelope', async () => {
      const after = await store().head();
      const stream = newStream();
      const event = newEvent({ type: 'Opened', version: 2, data: { text: '東京' } });
      await append(store(), stream, NO_STREAM, [event]);
      const pages = await pagesUntil(store(), { after }, seen([event]));

      const [recorded] = eventsOf(pages).filter(({ streamId }) => streamId === stream);
      expect(recorded).to.deep.equal((await readAll(store(), stream))[0]);
    });

    it('goes on after any page as if it had never stopped', async () => {
      const start = await store().head();
      const events = await appendMixed(store(), 2, 25);
      const taken: RecordedEvent[] = [];
      for (let after = start; !seen(events)(taken);) {
        const [page] = await pagesUntil(store(), { after, pageSize: 3 }, () => true);
        taken.push(...(page?.events ?? []));
        after = page?.position ?? after;
      }

      expect(idsOf(taken).filter(isOneOf(events))).to.deep.equal(idsOf(events));
    });

    it('starts at the beginning of the log without a position', async () => {
      const stream = newStream();
      const event = newEvent();
      await append(store(), stream, NO_STREAM, [event]);
      const pages = await pagesUntil(store(), { after: null }, seen([event]));

      expect(eventsOf(pages).map(({ position }) => position)).to.satisfy(isRising);
      expect(eventsOf(pages).filter(({ streamId }) => streamId === stream)).to.have.length(1);
    });

    it('says at once that there is nothing to catch up with', async () => {
      const { position } = await append(store(), newStream(), NO_STREAM, newEvents(1));
      const after = (await store().head()) ?? position;
      const pages = await pagesUntil(store(), { after }, (_, page) => page.caughtUp);

      expect(pages.at(-1)?.caughtUp).to.equal(true);
      expect(pages.every((page) => page.position >= after)).to.equal(true);
    });

    it('says of a page whether the log goes on after it', async () => {
      const after = await store().head();
      const events = await appendMixed(store(), 1, 5);
      const pages = await pagesUntil(store(), { after, pageSize: 2 }, (_, page) => page.caughtUp);

      expect(eventsOf(pages).filter(({ id }) => isOneOf(events)(id))).to.have.length(5);
      expect(pages[0]?.caughtUp).to.equal(false);
    });

    it('delivers what is appended later', async () => {
      const after = await store().head();
      const live = newEvents(2);
      const stream = newStream();
      let appending: Promise<unknown> | undefined;
      const pages = await pagesUntil(store(), { after }, (events, page) => {
        if (page.caughtUp) appending ??= append(store(), stream, NO_STREAM, live);
        return seen(live)(events);
      });
      await appending;

      expect(idsOf(eventsOf(pages)).filter(isOneOf(live))).to.deep.equal(idsOf(live));
    });

    it('loses and repeats nothing between catch-up and live, while writers write', async () => {
      const after = await store().head();
      const early = await appendMixed(store(), 3, 60);
      const writing = Promise.all(Array.from({ length: 6 }, () => appendMixed(store(), 3, 60)));
      let late: NewEvent[] | undefined;
      void writing.then((written) => (late = written.flat()));
      // The last one ends the test however the others came in.
      const end = newEvent();
      void writing.then(() => append(store(), newStream(), NO_STREAM, [end]));
      const pages = await pagesUntil(store(), { after, pageSize: 10 }, seen([end]));

      const written = [...early, ...(late ?? [])];
      const delivered = idsOf(eventsOf(pages)).filter(isOneOf(written));
      expect(delivered).to.have.length(written.length);
      expect(delivered).to.have.members(idsOf(written));
      expect(eventsOf(pages).map(({ position }) => position)).to.satisfy(isRising);
    });

    it('lets a slow reader take its time while others go ahead', async () => {
      const after = await store().head();
      const events = await appendMixed(store(), 1, 30);
      const abort = new AbortController();
      const slow = store().subscribe({ after, pageSize: 10, signal: abort.signal })[Symbol.asyncIterator]();
      const first = await slow.next();
      const fast = await pagesUntil(store(), { after }, seen(events));
      const rest = [await slow.next(), await slow.next()];
      abort.abort();

      expect(idsOf(eventsOf(fast)).filter(isOneOf(events))).to.deep.equal(idsOf(events));
      const slowly = [first, ...rest].flatMap(({ value }) => (value as EventPage).events);
      expect(idsOf(slowly).filter(isOneOf(events))).to.deep.equal(idsOf(events).slice(0, slowly.length));
    });

    it('knows the positions that it gives, and refuses to start at a text that is none', async () => {
      const after = await store().head();
      const { position } = await append(store(), newStream(), NO_STREAM, newEvents(1));
      const [page] = await pagesUntil(store(), { after }, () => true);
      const given = [position, await store().head(), page?.position ?? ''];
      expect(given.map((one) => store().knows(one ?? ''))).to.deep.equal([true, true, true]);

      for (const foreign of ['', '42', 'elsewhere', `${position}x`]) {
        expect(store().knows(foreign)).to.equal(false);
        const start = pagesUntil(store(), { after: foreign }, () => true);
        expect(await rejectionOf(start)).to.be.instanceOf(RangeError);
      }
    });

    describe('to some types', () => {
      it('delivers these alone', async () => {
        const after = await store().head();
        const [wanted, other] = [newEvents(5, { type: 'Wanted' }), newEvents(5, { type: 'Other' })];
        const also = newEvents(1, { type: 'AlsoWanted' });
        const stream = newStream();
        await append(store(), stream, NO_STREAM, [...other, ...wanted, ...other.map(fresh), ...also]);
        const types = ['Wanted', 'AlsoWanted'];
        const pages = await pagesUntil(store(), { after, types, pageSize: 2 }, seen(also));

        const ofStream = eventsOf(pages).filter(({ streamId }) => streamId === stream);
        expect(idsOf(ofStream)).to.deep.equal(idsOf([...wanted, ...also]));
        expect(eventsOf(pages).every(({ type }) => types.includes(type))).to.equal(true);
      });

      it('moves its position on past the others, in catch-up and live', async () => {
        const after = await store().head();
        const others = () => append(store(), newStream(), NO_STREAM, newEvents(30));
        const early = await others();
        let late: Promise<unknown> | undefined;
        let end = '\uffff';
        const appendLate = async () => {
          end = (await others()).position;
          // One more page comes, now that the end is known.
          await others();
        };
        const options = { after, types: ['NeverHappens'], pageSize: 5 };
        const pages = await pagesUntil(store(), options, (_, page) => {
          if (page.caughtUp) late ??= appendLate();
          return page.position >= end;
        });
        await late;

        expect(eventsOf(pages)).to.deep.equal([]);
        expect(pages.find((page) => page.caughtUp)?.position ?? '').to.satisfy(
          (position: string) => position >= early.position,
        );
      });
    });

    describe('ends', () => {
      it('before anything is read when the signal is already aborted', async () => {
        const pages = [];
        for await (const page of store().subscribe({ after: null, signal: AbortSignal.abort() }))
          pages.push(page);

        expect(pages).to.deep.equal([]);
      });

      it('while it waits for more', async () => {
        const abort = new AbortController();
        let caughtUp = false;
        for await (const page of store().subscribe({ after: await store().head(), signal: abort.signal })) {
          caughtUp ||= page.caughtUp;
          // By then the subscription waits for the next append, which never comes.
          if (caughtUp) setImmediate(() => abort.abort());
        }

        expect(caughtUp).to.equal(true);
      });

      it('between two pages', async () => {
        const after = await store().head();
        await appendMixed(store(), 1, 20);
        const abort = new AbortController();
        let pages = 0;
        for await (const _ of store().subscribe({ after, pageSize: 5, signal: abort.signal })) {
          pages += 1;
          abort.abort();
        }

        expect(pages).to.equal(1);
      });

      it('when the store is closed', async () => {
        const other = await connect();
        const signal = new AbortController().signal;
        let closing: Promise<void> | undefined;
        for await (const page of other.subscribe({ after: await other.head(), signal })) {
          if (page.caughtUp) closing ??= other.close();
        }
        await closing;

        expect(closing).to.not.equal(undefined);
      });
    });
  });
}

function seen(wanted: readonly NewEvent[]): (events: readonly RecordedEvent[]) => boolean {
  return (events) => {
    const ids = new Set(idsOf(events));
    return wanted.every(({ id }) => ids.has(id));
  };
}

function isOneOf(events: readonly NewEvent[]): (id: string) => boolean {
  const ids = new Set(idsOf(events));
  return (id) => ids.has(id);
}

function fresh({ type }: NewEvent): NewEvent {
  return newEvent({ type });
}
