/** Any change to a chained history shows in the hashes, and nothing else does. */
import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson, orderedJson } from '../../events/canonical-json.ts';
import type { PlacedEvent } from '../../events/event.ts';
import { eventHash, GENESIS, sha256Hex } from '../../events/hash-chain.ts';
import { sealEvent } from '../../events/sealed-event.ts';

const event: PlacedEvent = {
  id: 'evt_01kb3j5m8xe3vb0v6yq4s5t7wz',
  type: 'MandateSpent',
  version: 2,
  streamId: 'mandate-1',
  revision: 3,
  at: '2026-11-27T12:00:00.000Z',
  data: { period: '2026-11', amountCents: 100 },
  meta: { requestId: 'req-1', actor: 'key:1', commandId: 'c-1', prev: GENESIS },
};

describe('the hash chain', () => {
  it('hashes with SHA-256', () => {
    expect(sha256Hex('abc')).to.equal('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256Hex('ą')).to.equal(sha256Hex('\u0105'));
  });

  it('hashes the canonical JSON of the event, which anybody can write down', () => {
    const text =
      '{"at":"2026-11-27T12:00:00.000Z","data":{"amountCents":100,"period":"2026-11"},' +
      '"id":"evt_01kb3j5m8xe3vb0v6yq4s5t7wz",' +
      `"meta":{"actor":"key:1","commandId":"c-1","prev":"${GENESIS}","requestId":"req-1"},` +
      '"revision":3,"streamId":"mandate-1","type":"MandateSpent","version":2}';

    expect(eventHash(event)).to.equal(sha256Hex(text));
  });

  it('is that of the canonical JSON whatever the event says, read from a log or just sealed', () => {
    const anything = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(fc.string(), anything, anything, fc.nat(), (text, data, more, revision) => {
        const any = { ...event, id: text, type: text, data, meta: { ...event.meta, more }, revision };
        const expected = sha256Hex(canonicalJson(any));
        expect(eventHash(any)).to.equal(expected);
        const sealed = sealEvent(any, orderedJson(data), orderedJson(any.meta));
        expect(eventHash(sealed)).to.equal(expected);
      }),
    );
  });

  it('does not depend on the store, nor on the order of members', () => {
    const { data, meta, ...rest } = event;
    const elsewhere = { position: '0000000000000042', meta: reversed(meta), data: reversed(data), ...rest };

    expect(eventHash(elsewhere as PlacedEvent)).to.equal(eventHash(event));
  });

  const changes: readonly Partial<PlacedEvent>[] = [
    { id: 'evt_other' },
    { type: 'SpendReleased' },
    { version: 3 },
    { streamId: 'mandate-2' },
    { revision: 4 },
    { at: '2026-11-27T12:00:00.001Z' },
    { data: { period: '2026-11', amountCents: 101 } },
    { data: { period: '2026-11', amountCents: '100' } },
    { data: { period: '2026-11', amountCents: 100, note: '' } },
    { meta: { ...event.meta, actor: 'key:2' } },
    { meta: { ...event.meta, causationId: 'evt_cause' } },
    { meta: { ...event.meta, prev: sha256Hex('another past') } },
  ];
  for (const change of changes) {
    it(`changes with ${JSON.stringify(change).slice(0, 60)}`, () => {
      expect(eventHash({ ...event, ...change })).to.not.equal(eventHash(event));
    });
  }

  it('breaks where an event was changed, left out, moved or put in', () => {
    const [a, b, c, d] = chain(4) as [PlacedEvent, PlacedEvent, PlacedEvent, PlacedEvent];
    const other = { ...b, data: { n: 99 } };

    expect(isUnbroken([a, b, c, d])).to.equal(true);
    expect(isUnbroken([a, other, c, d])).to.equal(false);
    expect(isUnbroken([a, c, d])).to.equal(false);
    expect(isUnbroken([b, c, d])).to.equal(false);
    expect(isUnbroken([a, c, b, d])).to.equal(false);
    expect(isUnbroken([a, b, other, c, d])).to.equal(false);
  });
});

function chain(length: number): PlacedEvent[] {
  const events: PlacedEvent[] = [];
  let prev = GENESIS;
  for (let revision = 0; revision < length; revision += 1) {
    const next = {
      ...event,
      id: `evt_${revision}`,
      revision,
      data: { n: revision },
      meta: { ...event.meta, prev },
    };
    prev = eventHash(next);
    events.push(next);
  }
  return events;
}

function isUnbroken(events: readonly PlacedEvent[]): boolean {
  return events.every(({ meta }, i) => {
    const before = events[i - 1];
    return meta.prev === (before === undefined ? GENESIS : eventHash(before));
  });
}

function reversed(members: object): object {
  return Object.fromEntries(Object.entries(members).reverse());
}
