/** What a process appended itself is not made of bytes again, but only where the bytes are those that were sent. */
import { expect } from 'chai';
import { isSealed, sealEvent } from '../../../events/sealed-event.ts';
import { orderedJson } from '../../../events/canonical-json.ts';
import { decode, encode } from '../../../infra/eventstoredb/event-record.ts';
import { ownEvents } from '../../../infra/eventstoredb/own-events.ts';
import { positionText } from '../../../infra/eventstoredb/position.ts';
import type { ServerRecord } from '../../../infra/eventstoredb/server-record.ts';
import { newEvent, newStream } from '../../support/new-event.ts';

const PREFIX = 'own.';

describe('Events that this process appended', () => {
  const stream = newStream();

  function sealed() {
    const event = { ...newEvent({ data: { text: 'ä' } }), streamId: stream, revision: 3 };
    return sealEvent(event, orderedJson(event.data), orderedJson(event.meta));
  }

  /** As the server gives it back. */
  function record(
    event: ReturnType<typeof newEvent>,
    changes: { readonly data?: Buffer; readonly name?: string } = {},
  ): ServerRecord {
    const { id, type, data, metadata } = encode(event);
    return {
      uuid: id,
      stream: changes.name ?? PREFIX + stream,
      revision: 3,
      position: positionText('700', '700'),
      type,
      contentType: 'application/json',
      data: changes.data ?? Buffer.from(data),
      metadata: Buffer.from(metadata),
    };
  }

  it('come back as what everybody else reads, and as events that it made', () => {
    const own = ownEvents(PREFIX);
    const event = sealed();
    own.add(stream, [event], [encode(event)]);
    const given = own.take(record(event));

    expect(given).to.deep.include(decode(PREFIX, record(event)));
    expect(given !== undefined && isSealed(given)).to.equal(true);
  });

  it('are given once: who reads them again reads the bytes', () => {
    const own = ownEvents(PREFIX);
    const event = sealed();
    own.add(stream, [event], [encode(event)]);
    own.take(record(event));
    expect(own.take(record(event))).to.equal(undefined);
  });

  for (const [what, changes] of [
    ['other data', { data: Buffer.from('{"text":"ö"}') }],
    ['another stream', { name: `${PREFIX}other` }],
  ] as const) {
    it(`are read from the bytes where these have ${what}`, () => {
      const own = ownEvents(PREFIX);
      const event = sealed();
      own.add(stream, [event], [encode(event)]);
      expect(own.take(record(event, changes))).to.equal(undefined);
    });
  }

  it('are forgotten, the oldest first, where nobody follows', () => {
    const own = ownEvents(PREFIX);
    const events = Array.from({ length: 1_025 }, sealed);
    for (const event of events) own.add(stream, [event], [encode(event)]);
    expect(own.take(record(events[0]!))).to.equal(undefined);
    expect(own.take(record(events[1]!))?.id).to.equal(events[1]!.id);
  });
});
