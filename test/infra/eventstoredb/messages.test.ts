/** The messages that are read and written by hand, beside what the client's generated classes make of the same. */
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { NO_STREAM } from '../../../events/event-store.ts';
import {
  appendAnswerOf,
  appendBytes,
  type AppendRequest,
  type Message,
} from '../../../infra/eventstoredb/append-messages.ts';
import { positionText } from '../../../infra/eventstoredb/position.ts';
import { type ReadAnswer, readAnswerOf } from '../../../infra/eventstoredb/server-record.ts';
import { WireReader, WireWriter } from '../../../infra/eventstoredb/wire.ts';

const { ReadResp, BatchAppendReq, BatchAppendResp } = streamsPb;
const UNSIGNED_MINUS_ONE = 2n ** 64n - 1n;

const text = () => fc.string({ unit: 'grapheme', maxLength: 300 });
const bytes = () => fc.uint8Array({ maxLength: 70_000 }).map((all) => Buffer.from(all));
/** Of 64 bits without a sign. */
const number = () => fc.bigInt({ min: 0n, max: UNSIGNED_MINUS_ONE }).map(String);
const revision = () => fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

const uuidOf = (id: string): sharedPb.UUID => new sharedPb.UUID().setString(id);
const named = (name: string): sharedPb.StreamIdentifier =>
  new sharedPb.StreamIdentifier().setStreamName(Buffer.from(name));

describe('A message of EventStoreDB', () => {
  const recorded = fc.record({
    uuid: fc.uuid(),
    stream: text(),
    revision: revision(),
    commit: number(),
    prepare: number(),
    type: text(),
    contentType: text(),
    data: bytes(),
    metadata: bytes(),
  });

  function written(event: typeof recorded extends fc.Arbitrary<infer One> ? One : never): Buffer {
    const record = new ReadResp.ReadEvent.RecordedEvent()
      .setId(uuidOf(event.uuid))
      .setStreamIdentifier(named(event.stream))
      .setStreamRevision(String(event.revision))
      .setCommitPosition(event.commit)
      .setPreparePosition(event.prepare)
      .setData(event.data)
      .setCustomMetadata(event.metadata);
    record
      .getMetadataMap()
      .set('type', event.type)
      .set('created', '638999999999999999')
      .set('content-type', event.contentType);
    const read = new ReadResp.ReadEvent().setEvent(record).setCommitPosition(event.commit);
    return Buffer.from(new ReadResp().setEvent(read).serializeBinary());
  }

  it('that brings an event says what the server wrote', () => {
    fc.assert(
      fc.property(recorded, (event) => {
        const { commit, prepare, ...others } = event;
        const record = { ...others, position: positionText(commit, prepare) };
        expect(readAnswerOf(written(event))).to.deep.equal({ kind: 'event', record });
      }),
    );
  });

  it('that is cut off is refused wherever it is cut, or says less, and never something else', () => {
    fc.assert(
      fc.property(recorded, fc.nat(), (event, where) => {
        const whole = written(event);
        const cut = whole.subarray(0, where % whole.length);
        if (cut.length === 0) expect(readAnswerOf(cut)).to.deep.equal({ kind: 'other' });
        else expect(() => readAnswerOf(cut)).to.throw(RangeError);
      }),
    );
  });

  it('that says how far a read or a subscription is, is told from all others', () => {
    const place = new ReadResp.Checkpoint()
      .setCommitPosition(String(UNSIGNED_MINUS_ONE))
      .setPreparePosition('7');
    const answers: readonly (readonly [streamsPb.ReadResp, ReadAnswer])[] = [
      [
        new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId('one')),
        { kind: 'confirmed' },
      ],
      [
        new ReadResp().setCheckpoint(place),
        { kind: 'looked', position: { commit: UNSIGNED_MINUS_ONE, prepare: 7n } },
      ],
      [new ReadResp().setCaughtUp(new ReadResp.CaughtUp()), { kind: 'caught-up' }],
      [new ReadResp().setFellBehind(new ReadResp.FellBehind()), { kind: 'fell-behind' }],
      [
        new ReadResp().setStreamNotFound(new ReadResp.StreamNotFound().setStreamIdentifier(named('a'))),
        { kind: 'other' },
      ],
      [new ReadResp().setFirstStreamPosition('3'), { kind: 'other' }],
      [new ReadResp().setEvent(new ReadResp.ReadEvent()), { kind: 'event', record: undefined }],
    ];
    for (const [answer, read] of answers)
      expect(readAnswerOf(Buffer.from(answer.serializeBinary()))).to.deep.equal(read);
  });

  it('that appends says to the server what was asked', () => {
    const message = fc.record<Message>({ id: fc.uuid(), type: text(), data: bytes(), metadata: bytes() });
    const request = fc.record<AppendRequest>({
      stream: text(),
      expectedRevision: fc.oneof(fc.constant(NO_STREAM), revision()),
      messages: fc.array(message, { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.uuid(), request, (id, asked) => {
        const read = BatchAppendReq.deserializeBinary(appendBytes({ id, request: asked }));
        const options = read.getOptions();
        expect(read.getCorrelationId()?.getString()).to.equal(id);
        expect(read.getIsFinal()).to.equal(true);
        expect(options?.hasDeadline()).to.equal(false);
        expect(nameIn(options?.getStreamIdentifier())).to.equal(asked.stream);
        expect(options?.hasNoStream()).to.equal(asked.expectedRevision === NO_STREAM);
        if (asked.expectedRevision !== NO_STREAM)
          expect(options?.getStreamPosition()).to.equal(String(asked.expectedRevision));
        expect(read.getProposedMessagesList().map(proposed)).to.deep.equal(asked.messages);
      }),
    );
  });

  function proposed(message: streamsPb.BatchAppendReq.ProposedMessage): Message {
    const said = message.getMetadataMap();
    expect(said.get('content-type')).to.equal('application/json');
    return {
      id: message.getId()?.getString() ?? '',
      type: said.get('type') ?? '',
      data: Buffer.from(message.getData_asU8()),
      metadata: Buffer.from(message.getCustomMetadata_asU8()),
    };
  }

  const nameIn = (identifier: sharedPb.StreamIdentifier | undefined): string =>
    Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();

  it('that answers an append says which one, and where it stands if the server says so', () => {
    fc.assert(
      fc.property(fc.uuid(), revision(), fc.option(number()), (id, last, place) => {
        const success = new BatchAppendResp.Success().setCurrentRevision(String(last));
        if (place !== null)
          success.setPosition(
            new sharedPb.AllStreamPosition().setCommitPosition(place).setPreparePosition(place),
          );
        else success.setNoPosition(new sharedPb.Empty());
        const answer = new BatchAppendResp()
          .setCorrelationId(uuidOf(id))
          .setStreamIdentifier(named('bourse.a'))
          .setStreamPosition('4')
          .setSuccess(success);
        const position = place === null ? undefined : { commit: BigInt(place), prepare: BigInt(place) };
        expect(appendAnswerOf(Buffer.from(answer.serializeBinary()))).to.deep.equal({
          id,
          answer: { ok: true, revision: last, position },
        });
      }),
    );
  });

  it('may hold fields that are not known yet, of every type', () => {
    const fixed64 = Buffer.from([((30 << 3) & 0x7f) | 0x80 | 1, (30 << 3) >> 7, 1, 2, 3, 4, 5, 6, 7, 8]);
    const fixed32 = Buffer.from([((31 << 3) & 0x7f) | 0x80 | 5, (31 << 3) >> 7, 1, 2, 3, 4]);
    const others = new WireWriter()
      .number(28, 2 ** 40)
      .text(29, 'new')
      .finish();
    const known = Buffer.from(new ReadResp().setCaughtUp(new ReadResp.CaughtUp()).serializeBinary());
    const answer = Buffer.concat([others, fixed64, known, fixed32]);
    expect(readAnswerOf(answer)).to.deep.equal({ kind: 'caught-up' });
  });

  it('is refused where a field is of another type than it was, or of none', () => {
    expect(() => readAnswerOf(new WireWriter().number(1, 5).finish())).to.throw(RangeError);
    expect(() => readAnswerOf(Buffer.from([((20 << 3) & 0x7f) | 0x80 | 3, 1]))).to.throw(RangeError);
    const reader = new WireReader(new WireWriter().text(1, 'five').finish());
    reader.next();
    expect(() => reader.digits()).to.throw(RangeError);
  });
});
