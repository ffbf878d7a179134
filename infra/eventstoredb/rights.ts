/**
 * What the user may do, tried out without a trace: reads of streams that do not exist, and appends at a revision that no
 * stream has reached. The server looks at rights before it looks at revisions.
 */
import { END } from '@eventstore/db-client';
import { append } from './append.ts';
import { jsonMessage } from './append-messages.ts';
import type { Connection } from './connection.ts';
import { CallFailure, refusedFor } from './failures.ts';
import { readLastOf, readLogPage } from './read-pages.ts';

/** No stream of ours gets so far, and servers take it for a revision. */
const NEVER = 2 ** 40;

/**
 * @param prefix of the installation's streams
 * @throws {StoreUnavailable} naming the user, the right that is missing and the stream
 */
export async function assertRights(connection: Connection, prefix: string): Promise<void> {
  // First, as most users lack it: by default only administrators have it.
  await readLogPage(connection, { direction: 'backwards', from: END, maxCount: 1 });
  const kept = [`end-of-${prefix}log`, `identity-of-${prefix}log`, `checkpoint-of-${prefix}rights`];
  const streams = [`${prefix}rights`, ...kept];
  await Promise.all([
    ...streams.map((stream) => readLastOf(connection, stream)),
    ...streams.map((stream) => assertWritable(connection, stream)),
    ...kept.map((stream) => assertMetadataWritable(connection, stream)),
  ]);
}

/** @throws {StoreUnavailable} */
export function assertWritable(connection: Connection, stream: string, untilMs?: number): Promise<void> {
  return tryAppend(connection, stream, 'RightTried', untilMs);
}

async function assertMetadataWritable(connection: Connection, stream: string): Promise<void> {
  try {
    await tryAppend(connection, `$$${stream}`, '$metadata');
  } catch (error) {
    const { cause } = error instanceof Error ? error : {};
    if (!(cause instanceof CallFailure && cause.reason === 'denied')) throw error;
    throw refusedFor(cause, connection.user, 'mw', stream);
  }
}

async function tryAppend(
  connection: Connection,
  stream: string,
  type: string,
  untilMs?: number,
): Promise<void> {
  const request = { stream, expectedRevision: NEVER, messages: [jsonMessage(type, {})] };
  const answer = await append(connection, request, untilMs);
  if (answer.ok) throw new Error(`EventStoreDB took an append to ${stream} at a revision that it has not`);
}
