/**
 * The server's refusals as gRPC statuses with the trailers that clients tell them apart by.
 * Source: EventStore.Core/Services/Transport/Grpc/RpcExceptions.cs and Constants.cs.
 */
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { NOT_FOLLOWED } from './not-followed.ts';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

export const MAX_APPEND_BYTES = 1_048_576;
export const NOT_READY = 'Server Is Not Ready';

export function rpcError(
  code: status,
  details: string,
  trailers: Readonly<Record<string, string>> = {},
): ServiceError {
  if (Object.values(trailers).some((value) => !/^[ -~]*$/.test(value)))
    return notFollowed('name in a header');
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(trailers)) metadata.set(key, value);
  return Object.assign(new Error(details), { code, details, metadata });
}

export function notLeader({ host, port }: Endpoint): ServiceError {
  return rpcError(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });
}

export function notFollowed(what: keyof typeof NOT_FOLLOWED): ServiceError {
  return rpcError(status.UNIMPLEMENTED, `the double does not follow the servers here: ${NOT_FOLLOWED[what]}`);
}

/** There is no leader. */
export function notReady(): ServiceError {
  return rpcError(status.UNAVAILABLE, NOT_READY);
}

export function streamDeleted(stream: string): ServiceError {
  return rpcError(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });
}

export function wrongExpectedVersion(
  operation: string,
  stream: string,
  expected: bigint,
  actual: bigint,
): ServiceError {
  const details = `${operation} failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${expected}, Actual version: ${actual}`;
  return rpcError(status.FAILED_PRECONDITION, details, {
    exception: 'wrong-expected-version',
    'stream-name': stream,
    'expected-version': String(expected),
    'actual-version': String(actual),
  });
}

export function maxAppendSizeExceeded(bytes: number): ServiceError {
  return rpcError(status.INVALID_ARGUMENT, `Maximum Append Size of ${bytes} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(bytes),
  });
}

export function accessDenied(): ServiceError {
  return rpcError(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });
}

/** Source: EventStore.Core/Services/Transport/Http/AuthenticationMiddleware.cs. */
export function unauthenticated(): ServiceError {
  return rpcError(status.UNAUTHENTICATED, 'Unauthenticated');
}

/** What falls out of a handler is not told. */
export function handlerFailed(): ServiceError {
  return unknownError('Exception was thrown by handler.');
}

export function unknownError(details: string): ServiceError {
  return rpcError(status.UNKNOWN, details);
}

export function invalidPosition(): ServiceError {
  return invalidArgument('Trying to read from an invalid position.');
}

/** What the server does not await any longer, it may still do. */
export function timedOut(what: string): ServiceError {
  return rpcError(status.ABORTED, `Operation timed out: ${what}`);
}

export function invalidArgument(details: string): ServiceError {
  return rpcError(status.INVALID_ARGUMENT, details);
}
