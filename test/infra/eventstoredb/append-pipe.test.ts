/** What answers to an append mean: whether it may have been done, and whether to ask again. */
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import { expect } from 'chai';
import { NO_STREAM, StoreUnavailable } from '../../../events/event-store.ts';
import { appendAnswerOf, type NumberedAppend } from '../../../infra/eventstoredb/append-messages.ts';
import { AppendPipe } from '../../../infra/eventstoredb/append-pipe.ts';
import type { BatchAppendStream } from '../../../infra/eventstoredb/client-internals.ts';
import { CallFailure, refusedFor } from '../../../infra/eventstoredb/failures.ts';
import { rejectionOf } from '../../support/rejection.ts';

const NOTHING = { serializeBinary: () => new Uint8Array() };

/** What an append fails with that is answered so. */
async function failureAfter(error: statusPb.Status): Promise<CallFailure> {
  const answered = new Duplex({
    objectMode: true,
    read() {},
    write({ id }: NumberedAppend, _encoding, done) {
      const answer = new streamsPb.BatchAppendResp()
        .setCorrelationId(new sharedPb.UUID().setString(id))
        .setError(error);
      this.push(appendAnswerOf(Buffer.from(answer.serializeBinary())));
      done();
    },
  });
  // A pipe uses no more of it than what every duplex stream has.
  const pipe = new AppendPipe(answered as unknown as BatchAppendStream, () => {});
  const request = { stream: 'bourse.a', expectedRevision: NO_STREAM, messages: [] };
  const failure = await rejectionOf(pipe.append(request, 5_000));
  const ended = once(answered, 'finish');
  pipe.retire();
  await ended;
  if (!(failure instanceof CallFailure)) throw failure;
  return failure;
}

function status(code: number, kind: string, details: { serializeBinary(): Uint8Array }): statusPb.Status {
  const any = new anyPb.Any();
  any.pack(details.serializeBinary(), `event_store.client.${kind}`);
  return new statusPb.Status().setCode(code).setMessage(kind).setDetails(any);
}

describe('An answer to an append', () => {
  for (const [kind, details] of [
    ['MaximumAppendSizeExceeded', new sharedPb.MaximumAppendSizeExceeded().setMaxappendsize(1_024)],
    ['MaximumAppendEventSizeExceeded', NOTHING],
    ['BadRequest', new sharedPb.BadRequest()],
  ] as const) {
    it(`of ${kind} stays so however often it is asked, and is no outage`, async () => {
      const failure = await failureAfter(status(3, kind, details));
      expect(failure).to.include({ isUndone: true, isPermanent: true, isWorthAnotherTry: false });
      expect(refusedFor(failure, 'the user ops', 'w', 'bourse.a')).to.not.be.instanceOf(StoreUnavailable);
    });
  }

  it('of AccessDenied names the user, the right and the stream', async () => {
    const failure = await failureAfter(status(7, 'AccessDenied', new sharedPb.AccessDenied()));
    const told = refusedFor(failure, 'the user ops', 'w', 'bourse.a');
    expect(told).to.be.instanceOf(StoreUnavailable);
    expect(told.message).to.contain('the user ops').and.contain('bourse.a').and.contain('$w');
  });

  it('of code 0 without details comes where nobody leads: nothing was done', async () => {
    expect(await failureAfter(new statusPb.Status())).to.include({ isUndone: true, isWorthAnotherTry: true });
  });

  for (const message of ['No leader info available in response', 'The node is not ready yet.'])
    it(`that says "${message}" comes of nothing that was done`, async () => {
      const told = status(2, 'Unknown', NOTHING).setMessage(message);
      expect(await failureAfter(told)).to.include({ isUndone: true, isWorthAnotherTry: true });
    });

  it('of Timeout may have been done all the same', async () => {
    expect(await failureAfter(status(4, 'Timeout', new sharedPb.Timeout()))).to.include({ isUndone: false });
  });
});
