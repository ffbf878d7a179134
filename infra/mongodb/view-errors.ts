/** What MongoDB and its driver refuse, in the words of the port. */
import { MongoError, MongoInvalidArgumentError, MongoServerError } from 'mongodb';
import { ViewsUnavailable } from '../../projections/view-store.ts';

const AUTHENTICATION_FAILED = 18;

/** BadValue, FailedToParse, TypeMismatch, CommandNotFound, CannotCreateIndex, IndexOptionsConflict, NotImplemented. */
const BUGS = new Set<unknown>([2, 9, 14, 59, 67, 85, 238]);

/**
 * ViewsUnavailable for what may pass; what is our own fault stays as it is.
 * @param shown where the engine is, for people to read
 */
export function inWordsOfThePort(error: unknown, shown: string): unknown {
  if (!(error instanceof MongoError) || error instanceof MongoInvalidArgumentError) return error;
  if (error instanceof MongoServerError && BUGS.has(error.code)) return error;
  return new ViewsUnavailable(`the views in ${shown} cannot be read or written`, { cause: error });
}

/** Why the engine cannot be used, in one line without what is secret: the driver does not repeat passwords. */
export function reasonOf(error: unknown): string {
  if (error instanceof MongoServerError && error.code === AUTHENTICATION_FAILED) {
    return 'it does not know this user or password';
  }
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
  return line;
}
