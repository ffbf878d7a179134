/** What every EventStore promises. An adapter's test file hands in how to open one. */
import { expect } from 'chai';
import type { NewEvent, RecordedEvent } from '../../events/event.ts';
import {
  type AppendResult,
  type EventPage,
  type EventStore,
  MAX_APPEND_EVENTS,
  NO_STREAM,
  type ReadOptions,
  type SubscribeOptions,
} from '../../events/event-store.ts';
import { newEvent, newEvents, newStream } from '../support/new-event.ts';
import { behavesLikeTheModel } from './event-store.model.ts';

export interface EventStoreEngine {
  /** Opens a store on the engine. */
  readonly connect: () => Promise<EventStore>;
  readonly dispose: () => Promise<void>;
}

/** Other tests' events may be in the log, also while a test runs; each looks at its own streams only. */
export function eventStoreContract(name: string, start: () => Promise<EventStoreEngine>): void {
  describe(`EventStore: ${name}`, () => {
    let engine: EventStoreEngine;
    let store: EventStore;

    before(async () => {
      engine = await start();
      store = await engine.connect();
    });

    after(async () => {
      await store.close();
      await engine.dispose();
    });

    describe('append', () => {
      it('keeps every field of the envelope, each event in its place', async () => {
        const stream = newStream();
        const first = newEvent({ type: 'Opened', version: 3, at: '2026-02-28T23:59:59.999Z' });
        const second = newEvent({
          meta: {
            actor: 'key:key_1',
            requestId: 'req-2',
            commandId: 'command-2',
            requestHash: 'ab'.repeat(32),
            causationId: first.id,
            correlationId: 'req-1',
            prev: '0'.repeat(64),
          },
        });
        await append(store, stream, NO_STREAM, [first, second]);

        const recorded = await readAll(store, stream);
        expect(recorded.map(withoutPosition)).to.deep.equal([
          { ...first, streamId: stream, revision: 0 },
          { ...second, streamId: stream, revision: 1 },
        ]);
        expect(recorded.map((event) => event.position)).to.satisfy(isRising);
      });

      it('keeps data of any script and shape as they were', async () => {
        const stream = newStream();
        const data = {
          text: 'Żółć — 東京 — 🦀 — שלום — \u0000\u001f — "\\/ — \u2028',
          loneSurrogate: '\ud83d',
          numbers: [0, -1, 1.5, 1e21, Number.MAX_SAFE_INTEGER, 5e-324],
          nested: { empty: {}, none: null, list: [[], [true, false]] },
          ключ: 'value',
        };
        await append(store, stream, NO_STREAM, [newEvent({ data })]);

        expect((await readAll(store, stream))[0]?.data).to.deep.equal(data);
      });

      it('answers with the revision and the position of the last event', async () => {
        const stream = newStream();
        const result = await append(store, stream, NO_STREAM, newEvents(3));

        expect(result.revision).to.equal(2);
        expect(result.position).to.equal((await readAll(store, stream))[2]?.position);
      });

      it('takes as many events as the port allows, in their order', async () => {
        const stream = newStream();
        const events = newEvents(MAX_APPEND_EVENTS);
        await append(store, stream, NO_STREAM, events);

        expect(idsOf(await readAll(store, stream))).to.deep.equal(idsOf(events));
      });

      it('refuses to append nothing, too much, or at what is no revision', async () => {
        const stream = newStream();
        await expectRejection(store.append(stream, NO_STREAM, []), RangeError);
        await expectRejection(store.append(stream, NO_STREAM, newEvents(MAX_APPEND_EVENTS + 1)), RangeError);
        await expectRejection(store.append(stream, -2, [newEvent()]), RangeError);
        await expectRejection(store.append(stream, 0.5, [newEvent()]), RangeError);

        expect(await readAll(store, stream)).to.deep.equal([]);
      });

      it('refuses data that JSON cannot say, and writes none of them', async () => {
        const stream = newStream();
        await expectRejection(
          store.append(stream, NO_STREAM, [newEvent(), newEvent({ data: { amount: 1n } })]),
          TypeError,
        );

        expect(await readAll(store, stream)).to.deep.equal([]);
      });

      it('is not changed by what its caller does to the events later', async () => {
        const stream = newStream();
        const data = { amountCents: 1 };
        const appended = store.append(stream, NO_STREAM, [newEvent({ data })]);
        data.amountCents = 2;
        await appended;
        const read = await readAll(store, stream);
        Object.assign(read[0]?.data ?? {}, { amountCents: 3 });

        expect((await readAll(store, stream))[0]?.data).to.deep.equal({ amountCents: 1 });
      });
    });

    describe('append at a revision that is not the head', () => {
      it('says where the stream stands and writes nothing', async () => {
        const stream = newStream();
        await append(store, stream, NO_STREAM, newEvents(3));

        expect(await store.append(stream, NO_STREAM, newEvents(2))).to.deep.equal({
          ok: false,
          actualRevision: 2,
        });
        expect(await store.append(stream, 1, newEvents(2))).to.deep.equal({ ok: false, actualRevision: 2 });
        expect(await readAll(store, stream)).to.have.length(3);
      });

      it('refuses a revision that the stream has not reached', async () => {
        const stream = newStream();
        expect(await store.append(stream, 0, [newEvent()])).to.deep.equal({ ok: false, actualRevision: -1 });
        await append(store, stream, NO_STREAM, newEvents(1));

        expect(await store.append(stream, 4, [newEvent()])).to.deep.equal({ ok: false, actualRevision: 0 });
        expect(await readAll(store, stream)).to.have.length(1);
      });

      it('lets exactly one of many racing writers win each revision', async () => {
        const stream = newStream();
        const writers = Array.from({ length: 8 }, () => appendInTurn(store, stream, 5));
        const won = (await Promise.all(writers)).flat();

        expect(idsOf(await readAll(store, stream))).to.have.members(won);
        expect(won).to.have.length(8 * 5);
      });
    });

    describe('the identical append again', () => {
      it('gives the first outcome and writes nothing, whatever came after it', async () => {
        const stream = newStream();
        await append(store, stream, NO_STREAM, newEvents(2));
        const events = newEvents(3);
        const first = await append(store, stream, 1, events);
        expect(await store.append(stream, 1, events)).to.deep.equal(first);
        await append(store, stream, 4, newEvents(2));

        expect(await store.append(stream, 1, events)).to.deep.equal(first);
        expect(await readAll(store, stream)).to.have.length(7);
      });

      it('is recognised by the ids, and leaves the data as they were first written', async () => {
        const stream = newStream();
        const event = newEvent({ data: { amountCents: 1 } });
        const first = await append(store, stream, NO_STREAM, [event]);

        const again = await store.append(stream, NO_STREAM, [{ ...event, data: { amountCents: 2 } }]);
        expect(again).to.deep.equal(first);
        expect((await readAll(store, stream))[0]?.data).to.deep.equal({ amountCents: 1 });
      });

      it('is recognised while the first is still under way', async () => {
        const stream = newStream();
        const events = newEvents(2);
        const results = await Promise.all([1, 2, 3].map(() => store.append(stream, NO_STREAM, events)));

        expect(results.map(({ ok }) => ok)).to.deep.equal([true, true, true]);
        expect(idsOf(await readAll(store, stream))).to.deep.equal(idsOf(events));
      });

      it('succeeds with the first of its events alone', async () => {
        const stream = newStream();
        const events = newEvents(3);
        await append(store, stream, NO_STREAM, events);
        const again = await store.append(stream, NO_STREAM, events.slice(0, 2));

        expect(again).to.deep.include({ ok: true, revision: 1 });
        expect(await readAll(store, stream)).to.have.length(3);
      });

      it('is a conflict with one event more, with another event, or in another place', async () => {
        const stream = newStream();
        const [a, b, c] = [newEvent(), newEvent(), newEvent()];
        await append(store, stream, NO_STREAM, [a, b]);
        const conflict = { ok: false, actualRevision: 1 };

        expect(await store.append(stream, NO_STREAM, [a, b, c])).to.deep.equal(conflict);
        expect(await store.append(stream, NO_STREAM, [a, c])).to.deep.equal(conflict);
        expect(await store.append(stream, NO_STREAM, [b, a])).to.deep.equal(conflict);
        expect(await store.append(stream, NO_STREAM, [b])).to.deep.equal(conflict);
        expect(idsOf(await readAll(store, stream))).to.deep.equal(idsOf([a, b]));
      });
    });

    describe('read', () => {
      const stream = newStream();
      /** Enough for several pages of any adapter. */
      const events = newEvents(1_300);

      before(async () => {
        await append(store, stream, NO_STREAM, events.slice(0, 700));
        await append(store, stream, 699, events.slice(700));
      });

      const readIds = async (options?: ReadOptions) => idsOf(await readAll(store, stream, options));
      const reversed = idsOf(events).reverse();

      it('gives nothing for a stream that does not exist', async () => {
        expect(await readAll(store, newStream())).to.deep.equal([]);
        expect(await readAll(store, newStream(), { direction: 'backwards' })).to.deep.equal([]);
        expect(await readAll(store, newStream(), { from: 5 })).to.deep.equal([]);
      });

      it('gives all events in order, over however many pages', async () => {
        const recorded = await readAll(store, stream);
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
          for await (const event of store.read(stream, { direction: 'backwards' })) {
            expect(event.id).to.equal(reversed[0]);
            break;
          }
        }
      });
    });

    describe('head', () => {
      it('is at or after what was appended last', async () => {
        const { position } = await append(store, newStream(), NO_STREAM, newEvents(2));
        const head = await store.head();

        expect(head !== null && head >= position, `${head} >= ${position}`).to.equal(true);
      });
    });

    describe('subscribe', () => {
      it('catches up in order, in pages that each say how far they reach', async () => {
        const after = await store.head();
        const events = await appendMixed(store, 3, 40);
        const pages = await pagesUntil(store, { after, pageSize: 7 }, seen(events));

        expect(idsOf(eventsOf(pages)).filter(isOneOf(events))).to.deep.equal(idsOf(events));
        expect(eventsOf(pages).map(({ position }) => position)).to.satisfy(isRising);
        expect(Math.max(...pages.map((page) => page.events.length))).to.equal(7);
        for (const page of pages) {
          expect(page.events.every(({ position }) => position <= page.position)).to.equal(true);
        }
      });

      it('gives the whole envelope', async () => {
        const after = await store.head();
        const stream = newStream();
        const event = newEvent({ type: 'Opened', version: 2, data: { text: '東京' } });
        await append(store, stream, NO_STREAM, [event]);
        const pages = await pagesUntil(store, { after }, seen([event]));

        const [recorded] = eventsOf(pages).filter(({ streamId }) => streamId === stream);
        expect(recorded).to.deep.equal((await readAll(store, stream))[0]);
      });

      it('goes on after any page as if it had never stopped', async () => {
        const start = await store.head();
        const events = await appendMixed(store, 2, 25);
        const taken: RecordedEvent[] = [];
        for (let after = start; !seen(events)(taken);) {
          const [page] = await pagesUntil(store, { after, pageSize: 3 }, () => true);
          taken.push(...(page?.events ?? []));
          after = page?.position ?? after;
        }

        expect(idsOf(taken).filter(isOneOf(events))).to.deep.equal(idsOf(events));
      });

      it('starts at the beginning of the log without a position', async () => {
        const stream = newStream();
        const event = newEvent();
        await append(store, stream, NO_STREAM, [event]);
        const pages = await pagesUntil(store, { after: null }, seen([event]));

        expect(eventsOf(pages).map(({ position }) => position)).to.satisfy(isRising);
        expect(eventsOf(pages).filter(({ streamId }) => streamId === stream)).to.have.length(1);
      });

      it('says at once that there is nothing to catch up with', async () => {
        const { position } = await append(store, newStream(), NO_STREAM, newEvents(1));
        const after = (await store.head()) ?? position;
        const pages = await pagesUntil(store, { after }, (_, page) => page.caughtUp);

        expect(pages.at(-1)?.caughtUp).to.equal(true);
        expect(pages.every((page) => page.position >= after)).to.equal(true);
      });

      it('says of a page whether the log goes on after it', async () => {
        const after = await store.head();
        const events = await appendMixed(store, 1, 5);
        const pages = await pagesUntil(store, { after, pageSize: 2 }, (_, page) => page.caughtUp);

        expect(eventsOf(pages).filter(({ id }) => isOneOf(events)(id))).to.have.length(5);
        expect(pages[0]?.caughtUp).to.equal(false);
      });

      it('delivers what is appended later', async () => {
        const after = await store.head();
        const live = newEvents(2);
        const stream = newStream();
        let appending: Promise<unknown> | undefined;
        const pages = await pagesUntil(store, { after }, (events, page) => {
          if (page.caughtUp) appending ??= append(store, stream, NO_STREAM, live);
          return seen(live)(events);
        });
        await appending;

        expect(idsOf(eventsOf(pages)).filter(isOneOf(live))).to.deep.equal(idsOf(live));
      });

      it('loses and repeats nothing between catch-up and live, while writers write', async () => {
        const after = await store.head();
        const early = await appendMixed(store, 3, 60);
        const writing = Promise.all(Array.from({ length: 6 }, () => appendMixed(store, 3, 60)));
        let late: NewEvent[] | undefined;
        void writing.then((written) => (late = written.flat()));
        // The last one ends the test however the others came in.
        const end = newEvent();
        void writing.then(() => append(store, newStream(), NO_STREAM, [end]));
        const pages = await pagesUntil(store, { after, pageSize: 10 }, seen([end]));

        const written = [...early, ...(late ?? [])];
        const delivered = idsOf(eventsOf(pages)).filter(isOneOf(written));
        expect(delivered).to.have.length(written.length);
        expect(delivered).to.have.members(idsOf(written));
        expect(eventsOf(pages).map(({ position }) => position)).to.satisfy(isRising);
      });

      it('lets a slow reader take its time while others go ahead', async () => {
        const after = await store.head();
        const events = await appendMixed(store, 1, 30);
        const abort = new AbortController();
        const slow = store.subscribe({ after, pageSize: 10, signal: abort.signal })[Symbol.asyncIterator]();
        const first = await slow.next();
        const fast = await pagesUntil(store, { after }, seen(events));
        const rest = [await slow.next(), await slow.next()];
        abort.abort();

        expect(idsOf(eventsOf(fast)).filter(isOneOf(events))).to.deep.equal(idsOf(events));
        const slowly = [first, ...rest].flatMap(({ value }) => (value as EventPage).events);
        expect(idsOf(slowly).filter(isOneOf(events))).to.deep.equal(idsOf(events).slice(0, slowly.length));
      });

      describe('to some types', () => {
        it('delivers these alone', async () => {
          const after = await store.head();
          const [wanted, other] = [newEvents(5, { type: 'Wanted' }), newEvents(5, { type: 'Other' })];
          const also = newEvents(1, { type: 'AlsoWanted' });
          const stream = newStream();
          await append(store, stream, NO_STREAM, [...other, ...wanted, ...other.map(fresh), ...also]);
          const types = ['Wanted', 'AlsoWanted'];
          const pages = await pagesUntil(store, { after, types, pageSize: 2 }, seen(also));

          const ofStream = eventsOf(pages).filter(({ streamId }) => streamId === stream);
          expect(idsOf(ofStream)).to.deep.equal(idsOf([...wanted, ...also]));
          expect(eventsOf(pages).every(({ type }) => types.includes(type))).to.equal(true);
        });

        it('moves its position on past the others, in catch-up and live', async () => {
          const after = await store.head();
          const others = () => append(store, newStream(), NO_STREAM, newEvents(30));
          const early = await others();
          let late: Promise<{ position: string }> | undefined;
          let end = '\uffff';
          const pages = await pagesUntil(
            store,
            { after, types: ['NeverHappens'], pageSize: 5 },
            (_, page) => {
              if (page.caughtUp) late ??= others().then((result) => ((end = result.position), result));
              return page.position >= end;
            },
          );

          expect(eventsOf(pages)).to.deep.equal([]);
          expect(pages.find((page) => page.caughtUp)?.position ?? '').to.satisfy(
            (position: string) => position >= early.position,
          );
        });
      });

      describe('ends', () => {
        it('before anything is read when the signal is already aborted', async () => {
          const pages = [];
          for await (const page of store.subscribe({ after: null, signal: AbortSignal.abort() }))
            pages.push(page);

          expect(pages).to.deep.equal([]);
        });

        it('while it waits for more', async () => {
          const abort = new AbortController();
          let caughtUp = false;
          for await (const page of store.subscribe({ after: await store.head(), signal: abort.signal })) {
            caughtUp ||= page.caughtUp;
            // By then the subscription waits for the next append, which never comes.
            if (caughtUp) setImmediate(() => abort.abort());
          }

          expect(caughtUp).to.equal(true);
        });

        it('between two pages', async () => {
          const after = await store.head();
          await appendMixed(store, 1, 20);
          const abort = new AbortController();
          let pages = 0;
          for await (const _ of store.subscribe({ after, pageSize: 5, signal: abort.signal })) {
            pages += 1;
            abort.abort();
          }

          expect(pages).to.equal(1);
        });

        it('when the store is closed', async () => {
          const other = await engine.connect();
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

    behavesLikeTheModel(() => store);
  });
}

async function append(
  store: EventStore,
  stream: string,
  expectedRevision: number,
  events: readonly NewEvent[],
): Promise<AppendResult & { ok: true }> {
  const result = await store.append(stream, expectedRevision, events);
  if (!result.ok) throw new Error(`${stream} is at ${result.actualRevision}, not at ${expectedRevision}`);
  return result;
}

/** Appends `count` events one by one, each at the revision that the last conflict told; gives the ids. */
async function appendInTurn(store: EventStore, stream: string, count: number): Promise<string[]> {
  const won: string[] = [];
  for (let expected = NO_STREAM; won.length < count;) {
    const event = newEvent();
    const result = await store.append(stream, expected, [event]);
    if (result.ok) won.push(event.id);
    expected = result.ok ? result.revision : result.actualRevision;
  }
  return won;
}

/** Appends to several new streams by turns, one event each time; gives the events in their order. */
async function appendMixed(store: EventStore, streams: number, count: number): Promise<NewEvent[]> {
  const names = Array.from({ length: streams }, newStream);
  const events = newEvents(count);
  for (const [i, event] of events.entries()) {
    await append(store, names[i % streams] ?? '', Math.floor(i / streams) - 1, [event]);
  }
  return events;
}

async function readAll(store: EventStore, stream: string, options?: ReadOptions): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const event of store.read(stream, options)) events.push(event);
  return events;
}

/** Takes pages until `isEnough` of all events so far and the last page; the test's own timeout is the deadline. */
async function pagesUntil(
  store: EventStore,
  options: Omit<SubscribeOptions, 'signal'>,
  isEnough: (events: readonly RecordedEvent[], page: EventPage) => boolean,
): Promise<EventPage[]> {
  const abort = new AbortController();
  const pages: EventPage[] = [];
  try {
    for await (const page of store.subscribe({ ...options, signal: abort.signal })) {
      pages.push(page);
      if (isEnough(eventsOf(pages), page)) break;
    }
  } finally {
    abort.abort();
  }
  return pages;
}

async function expectRejection(promise: Promise<unknown>, Kind: new () => Error): Promise<void> {
  const outcome = await promise.then(
    () => 'no rejection',
    (error: unknown) => error,
  );
  expect(outcome).to.be.instanceOf(Kind);
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

function isRising(positions: readonly string[]): boolean {
  return positions.every((position, i) => i === 0 || position > (positions[i - 1] ?? ''));
}

function withoutPosition({ position: _, ...event }: RecordedEvent): Omit<RecordedEvent, 'position'> {
  return event;
}

function fresh({ type }: NewEvent): NewEvent {
  return newEvent({ type });
}

function eventsOf(pages: readonly EventPage[]): RecordedEvent[] {
  return pages.flatMap(({ events }) => events);
}

function idsOf(events: readonly { readonly id: string }[]): string[] {
  return events.map(({ id }) => id);
}
