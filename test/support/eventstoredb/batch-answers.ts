/** What a batch append is answered with. Source: BatchAppendResp.cs and Status.cs in EventStore.Core's gRPC transport. */
import codePb from '@eventstore/db-client/generated/code_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import { setExpected } from './expected-revision.ts';
import { streamIdentifier, unsigned } from './protobuf.ts';
import { NOT_READY } from './rpc-errors.ts';
import type { ToldOutcome } from './settling.ts';
import type { ExpectedRevision, WriteOutcome } from './writing.ts';

/** The names of the server's own error details, with the code that goes with each. The call itself goes on. */
const CODES = {
  WrongExpectedVersion: codePb.Code.ALREADY_EXISTS,
  StreamDeleted: codePb.Code.NOT_FOUND,
  AccessDenied: codePb.Code.PERMISSION_DENIED,
  Timeout: codePb.Code.DEADLINE_EXCEEDED,
  MaximumAppendSizeExceeded: codePb.Code.INVALID_ARGUMENT,
  BadRequest: codePb.Code.INVALID_ARGUMENT,
} as const;
type ErrorName = keyof typeof CODES;

export function batchAnswer(
  outcome: ToldOutcome,
  stream: string,
  expected: ExpectedRevision,
): streamsPb.BatchAppendResp {
  const answer = new streamsPb.BatchAppendResp();
  switch (outcome.kind) {
    case 'written':
      return answer.setSuccess(success(outcome));
    case 'wrong-version':
      return answer.setError(errorStatus('WrongExpectedVersion', wrongVersion(outcome.current, expected)));
    case 'deleted': {
      const details = new sharedPb.StreamDeleted().setStreamIdentifier(streamIdentifier(stream));
      return answer.setError(errorStatus('StreamDeleted', details));
    }
    case 'timed-out':
      return answer.setError(batchRefusal({ kind: 'Timeout' }));
  }
}

/** Why an append is not even tried. */
export type BatchRefusal =
  | { readonly kind: 'AccessDenied' | 'Timeout' | 'BadRequest' | 'NotReady' }
  | { readonly kind: 'MaximumAppendSizeExceeded'; readonly bytes: number };

export function batchRefusal(refusal: BatchRefusal): statusPb.Status {
  switch (refusal.kind) {
    case 'AccessDenied':
      return errorStatus(refusal.kind, new sharedPb.AccessDenied());
    case 'Timeout':
      return errorStatus(refusal.kind, new sharedPb.Timeout());
    case 'BadRequest':
      return errorStatus(refusal.kind, new sharedPb.BadRequest());
    case 'MaximumAppendSizeExceeded':
      return errorStatus(
        refusal.kind,
        new sharedPb.MaximumAppendSizeExceeded().setMaxappendsize(refusal.bytes),
      );
    case 'NotReady': {
      // No code at all, and details without a content.
      const details = new anyPb.Any();
      details.pack(new emptyPb.Empty().serializeBinary(), 'google.protobuf.Empty');
      return new statusPb.Status().setMessage(NOT_READY).setDetails(details);
    }
  }
}

function success({
  revision,
  position,
}: Extract<WriteOutcome, { kind: 'written' }>): streamsPb.BatchAppendResp.Success {
  const done = new streamsPb.BatchAppendResp.Success();
  if (revision === -1n) done.setNoStream(new emptyPb.Empty());
  else done.setCurrentRevision(unsigned(revision));
  if (position === null) return done.setNoPosition(new emptyPb.Empty());
  return done.setPosition(
    new sharedPb.AllStreamPosition().setCommitPosition(String(position)).setPreparePosition(String(position)),
  );
}

function wrongVersion(current: bigint, expected: ExpectedRevision): sharedPb.WrongExpectedVersion {
  const wrong = new sharedPb.WrongExpectedVersion();
  setExpected(wrong, expected, new emptyPb.Empty(), (revision) => {
    wrong.setExpectedStreamPosition(unsigned(revision));
  });
  return current === -1n
    ? wrong.setCurrentNoStream(new emptyPb.Empty())
    : wrong.setCurrentStreamRevision(unsigned(current));
}

function errorStatus(name: ErrorName, details: { serializeBinary(): Uint8Array }): statusPb.Status {
  const any = new anyPb.Any();
  any.pack(details.serializeBinary(), `event_store.client.${name}`);
  return new statusPb.Status().setCode(CODES[name]).setMessage(name).setDetails(any);
}
