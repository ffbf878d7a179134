/** The official client on a double, as the tests of the double use it. */
import {
  type AppendResult,
  EventStoreDBClient,
  type JSONEventData,
  jsonEvent,
  type ResolvedEvent,
} from '@eventstore/db-client';
import type { EventStoreDouble } from './double.ts';

/** The two ways to append: many in one call, or, when credentials come with it, each in a call of its own. */
export const WAYS = {
  'batch append': {},
  'unary append': { credentials: { username: 'any', password: 'body' } },
} as const;

/** By itself the client gives a call ten seconds, which one of a megabyte among many can take on a busy machine. */
const PATIENCE_MS = 100_000;

export function clientOf(
  server: Pick<EventStoreDouble, 'url'>,
  defaultDeadline = PATIENCE_MS,
): EventStoreDBClient {
  return EventStoreDBClient.connectionString(`${server.url}&defaultDeadline=${defaultDeadline}`);
}

export function event(type = 'Happened', data: Record<string, unknown> = {}): JSONEventData {
  return jsonEvent({ type, data });
}

export function events(count: number, type?: string): JSONEventData[] {
  return Array.from({ length: count }, (_, n) => event(type, { n }));
}

/** The place an append was answered with, as text. */
export function placeOf({ nextExpectedRevision, position }: AppendResult): string {
  return `${nextExpectedRevision}@${position === undefined ? 'nowhere' : position.commit}`;
}

/** What a read gives, or the error that it ends in. */
export async function collect<T extends ResolvedEvent>(read: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of read) all.push(item);
  return all;
}

/** The error that a call fails with. */
export async function errorOf(call: Promise<unknown>): Promise<Record<string, unknown>> {
  return await call.then(
    () => {
      throw new Error('it succeeded');
    },
    (error) => error,
  );
}
