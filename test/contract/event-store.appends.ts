import { expect } from 'chai';
import { weigh } from '../../events/appendable.ts';
import { type EventStore, MAX_APPEND_BYTES, MAX_APPEND_EVENTS, NO_STREAM } from '../../events/event-store.ts';
import type { NewEvent, PlacedEvent, RecordedEvent } from '../../events/event.ts';
import { append, appendInTurn, idsOf, isRising, readAll } from '../support/event-log.ts';
import { newEvent, newEvents, newStream } from '../support/new-event.ts';
import { rejectionOf } from '../support/rejection.ts';

export function appendsAllOrNothing(store: () => EventStore): void {
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
      await append(store(), stream, NO_STREAM, [first, second]);

      const recorded = await readAll(store(), stream);
      expect(recorded.map(placed)).to.deep.equal([
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
      await append(store(), stream, NO_STREAM, [newEvent({ data })]);

      expect((await readAll(store(), stream))[0]?.data).to.deep.equal(data);
    });

    it('answers with the revision and the position of the last event', async () => {
      const stream = newStream();
      const result = await append(store(), stream, NO_STREAM, newEvents(3));

      expect(result.revision).to.equal(2);
      expect(result.position).to.equal((await readAll(store(), stream))[2]?.position);
    });

    it('takes as many events as the port allows, in their order', async () => {
      const stream = newStream();
      const events = newEvents(MAX_APPEND_EVENTS);
      await append(store(), stream, NO_STREAM, events);

      expect(idsOf(await readAll(store(), stream))).to.deep.equal(idsOf(events));
    });

    it('takes as many bytes as the port allows, and not one more', async () => {
      const stream = newStream();
      const sized = (bytes: number): NewEvent[] => {
        const ofTwo = (text: string) => [newEvent({ data: { text } }), newEvent({ data: { text: '東京' } })];
        const empty = ofTwo('').reduce((sum, event) => sum + weighed(event), 0);
        return ofTwo('x'.repeat(bytes - empty));
      };
      const tooMuch = store().append(stream, NO_STREAM, sized(MAX_APPEND_BYTES + 1));
      expect(await rejectionOf(tooMuch)).to.be.instanceOf(RangeError);
      expect(await readAll(store(), stream)).to.deep.equal([]);

      const events = sized(MAX_APPEND_BYTES);
      await append(store(), stream, NO_STREAM, events);
      expect(idsOf(await readAll(store(), stream))).to.deep.equal(idsOf(events));
    });

    it('refuses to append nothing, too much, or at what is no revision', async () => {
      const stream = newStream();
      expect(await rejectionOf(store().append(stream, NO_STREAM, []))).to.be.instanceOf(RangeError);
      expect(
        await rejectionOf(store().append(stream, NO_STREAM, newEvents(MAX_APPEND_EVENTS + 1))),
      ).to.be.instanceOf(RangeError);
      expect(await rejectionOf(store().append(stream, -2, [newEvent()]))).to.be.instanceOf(RangeError);
      expect(await rejectionOf(store().append(stream, 0.5, [newEvent()]))).to.be.instanceOf(RangeError);

      expect(await readAll(store(), stream)).to.deep.equal([]);
    });

    it('refuses data that JSON cannot say, and writes none of them', async () => {
      const stream = newStream();
      expect(
        await rejectionOf(
          store().append(stream, NO_STREAM, [newEvent(), newEvent({ data: { amount: 1n } })]),
        ),
      ).to.be.instanceOf(TypeError);

      expect(await readAll(store(), stream)).to.deep.equal([]);
    });

    it('is not changed by what its caller does to the events later', async () => {
      const stream = newStream();
      const data = { amountCents: 1 };
      const appended = store().append(stream, NO_STREAM, [newEvent({ data })]);
      data.amountCents = 2;
      await appended;
      const read = await readAll(store(), stream);
      Object.assign(read[0]?.data ?? {}, { amountCents: 3 });

      expect((await readAll(store(), stream))[0]?.data).to.deep.equal({ amountCents: 1 });
    });
  });

  describe('append at a revision that is not the head', () => {
    it('says where the stream stands and writes nothing', async () => {
      const stream = newStream();
      await append(store(), stream, NO_STREAM, newEvents(3));

      expect(await store().append(stream, NO_STREAM, newEvents(2))).to.deep.equal({
        ok: false,
        actualRevision: 2,
      });
      expect(await store().append(stream, 1, newEvents(2))).to.deep.equal({ ok: false, actualRevision: 2 });
      expect(await readAll(store(), stream)).to.have.length(3);
    });

    it('refuses a revision that the stream has not reached', async () => {
      const stream = newStream();
      expect(await store().append(stream, 0, [newEvent()])).to.deep.equal({ ok: false, actualRevision: -1 });
      await append(store(), stream, NO_STREAM, newEvents(1));

      expect(await store().append(stream, 4, [newEvent()])).to.deep.equal({ ok: false, actualRevision: 0 });
      expect(await readAll(store(), stream)).to.have.length(1);
    });

    it('lets exactly one of many racing writers win each revision', async () => {
      const stream = newStream();
      const writers = Array.from({ length: 8 }, () => appendInTurn(store(), stream, 5));
      const won = (await Promise.all(writers)).flat();

      expect(idsOf(await readAll(store(), stream))).to.have.members(won);
      expect(won).to.have.length(8 * 5);
    });
  });

  describe('the identical append again', () => {
    it('gives the first outcome and writes nothing, whatever came after it', async () => {
      const stream = newStream();
      await append(store(), stream, NO_STREAM, newEvents(2));
      const events = newEvents(3);
      const first = await append(store(), stream, 1, events);
      expect(await store().append(stream, 1, events)).to.deep.equal(first);
      await append(store(), stream, 4, newEvents(2));

      expect(await store().append(stream, 1, events)).to.deep.equal(first);
      expect(await readAll(store(), stream)).to.have.length(7);
    });

    it('is recognised by the ids, and leaves the data as they were first written', async () => {
      const stream = newStream();
      const event = newEvent({ data: { amountCents: 1 } });
      const first = await append(store(), stream, NO_STREAM, [event]);

      const again = await store().append(stream, NO_STREAM, [{ ...event, data: { amountCents: 2 } }]);
      expect(again).to.deep.equal(first);
      expect((await readAll(store(), stream))[0]?.data).to.deep.equal({ amountCents: 1 });
    });

    it('is recognised while the first is still under way', async () => {
      const stream = newStream();
      const events = newEvents(2);
      const results = await Promise.all([1, 2, 3].map(() => store().append(stream, NO_STREAM, events)));

      expect(results.map(({ ok }) => ok)).to.deep.equal([true, true, true]);
      expect(idsOf(await readAll(store(), stream))).to.deep.equal(idsOf(events));
    });

    it('succeeds with the first of its events alone', async () => {
      const stream = newStream();
      const events = newEvents(3);
      await append(store(), stream, NO_STREAM, events);
      const again = await store().append(stream, NO_STREAM, events.slice(0, 2));

      expect(again).to.deep.include({ ok: true, revision: 1 });
      expect(await readAll(store(), stream)).to.have.length(3);
    });

    it('is a conflict with one event more, with another event, or in another place', async () => {
      const stream = newStream();
      const [a, b, c] = [newEvent(), newEvent(), newEvent()];
      await append(store(), stream, NO_STREAM, [a, b]);
      const conflict = { ok: false, actualRevision: 1 };

      expect(await store().append(stream, NO_STREAM, [a, b, c])).to.deep.equal(conflict);
      expect(await store().append(stream, NO_STREAM, [a, c])).to.deep.equal(conflict);
      expect(await store().append(stream, NO_STREAM, [b, a])).to.deep.equal(conflict);
      expect(await store().append(stream, NO_STREAM, [b])).to.deep.equal(conflict);
      expect(idsOf(await readAll(store(), stream))).to.deep.equal(idsOf([a, b]));
    });
  });
}

function weighed({ data, meta }: NewEvent): number {
  return weigh(JSON.stringify(data), JSON.stringify(meta));
}

function placed({ id, type, version, at, data, meta, streamId, revision }: RecordedEvent): PlacedEvent {
  return { id, type, version, at, data, meta, streamId, revision };
}
