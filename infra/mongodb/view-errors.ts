/** What MongoDB and its driver refuse, in the words of the port. */
import {
  MongoError,
  MongoInvalidArgumentError,
  type MongoOptions,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { ViewsUnavailable } from '../../projections/view-store.ts';
import { Silence } from './outage.ts';

const AUTHENTICATION_FAILED = 18;
const UNAUTHORIZED = 13;

/** Such as EPIPE and ENOTFOUND, and what streams say that are closed. */
const SOCKET_CODES = /^(E[A-Z]+|ERR_(STREAM|SOCKET)_[A-Z_]+)$/;

/** BadValue, FailedToParse, TypeMismatch, CommandNotFound, CannotCreateIndex, IndexOptionsConflict, NotImplemented. */
const BUGS = new Set<unknown>([2, 9, 14, 59, 67, 85, 238]);

/**
 * ViewsUnavailable for what may pass; what is our own fault stays as it is.
 * @param shown where the engine is, for people to read
 */
export function inWordsOfThePort(error: unknown, shown: string): unknown {
  if (!isDriverError(error) || error instanceof MongoInvalidArgumentError) return error;
  if (error instanceof MongoServerError && BUGS.has(error.code)) return error;
  return new ViewsUnavailable(`the views in ${shown} cannot be read or written`, { cause: error });
}

/** Why the engine cannot be used, in one line. The driver repeats no passwords. */
export function reasonOf(
  error: unknown,
  { tls, credentials }: Pick<MongoOptions, 'tls' | 'credentials'>,
): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  if (error instanceof MongoServerError && error.code === AUTHENTICATION_FAILED) {
    return 'it does not know this user or password';
  }
  if (error instanceof MongoServerError && error.code === UNAUTHORIZED && credentials === undefined) {
    return 'it wants a user and a password, and the address has none';
  }
  return error instanceof MongoServerSelectionError ? whyNoServer(line, tls) : line;
}

/** @param isTls whether the connection is to be one of TLS */
function whyNoServer(line: string, isTls: boolean): string {
  if (line.startsWith('Server selection timed out')) return `it gives no answer${isTls ? ' over TLS' : ''}`;
  if (/self-signed certificate|unable to (verify|get)/.test(line)) {
    return `its certificate is not trusted (${line}): name the file of its authority by tlsCAFile=… in the address`;
  }
  if (/SSL routines/.test(line)) return 'it does not speak TLS';
  if (!line.endsWith('closed')) return line;
  return `it closes the connection: perhaps it ${isTls ? 'is something else' : 'wants TLS, or is something else'}`;
}

/** Whether it is the world's fault and not ours: silence, an error of the driver or, which it lets through, of a socket. */
export function isDriverError(error: unknown): boolean {
  if (error instanceof Silence || error instanceof MongoError) return true;
  return error instanceof Error && 'code' in error && SOCKET_CODES.test(String(error.code));
}
