/**
 * Appends to, reads of and follows a log in EventStoreDB. Arguments: what (bare, adapter) and the server's address.
 * Answers a message `{task, seconds}` with what it did in that time.
 */
import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import type { NewEvent } from '../../events/event.ts';
import { uuidOf } from '../../events/ids.ts';
import { openEventStoreDb } from '../../infra/eventstoredb/event-store.ts';
import { newEvents } from '../support/new-event.ts';
import { endOfAll, followBare } from './bare-following.ts';
import { takeOrders, type Task } from './engine-work.ts';

const [what = '', url = ''] = process.argv.slice(2);
const IN_FLIGHT = 64;
const READ_EVENTS = 2_000;
const FOLLOWED_EVENTS = 20_000;
const EVENTS_PER_APPEND = 500;
const PREFIX = `bench_${Date.now()}_${process.pid}.`;
/** About as much as a spend says. */
const DATA = { text: 'x'.repeat(400), amountCents: 100, at: '2026-11-27T12:00:00.000Z', rows: [1, 2, 3] };

export type LogTask = 'append' | 'read' | 'follow';

/** The ways to a log that are compared. */
interface Way {
  /** At `revision`, -1 for a new stream; resolves with the revision of the last event. */
  readonly append: (stream: string, revision: number, events: readonly NewEvent[]) => Promise<number>;
  /** Resolves with how many events there were. */
  readonly read: (stream: string) => Promise<number>;
  /** Follows the whole log from its beginning until it has given so many events. */
  readonly follow: (events: number) => Promise<void>;
}

const way = what === 'bare' ? await bare() : await adapter();
const read = `read-${randomUUID()}`;
await fill(read, READ_EVENTS);
await fill(`followed-${randomUUID()}`, FOLLOWED_EVENTS - READ_EVENTS);

const TASKS: Readonly<Record<LogTask, Task>> = {
  async append(isOver) {
    let done = 0;
    const lane = async (): Promise<void> => {
      const stream = `append-${randomUUID()}`;
      for (let revision = -1; !isOver(); done += 1) {
        revision = await way.append(stream, revision, newEvents(1, { data: DATA }));
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
    return done;
  },
  async read(isOver) {
    let done = 0;
    while (!isOver()) done += await way.read(read);
    return done;
  },
  async follow(isOver) {
    let done = 0;
    for (; !isOver(); done += FOLLOWED_EVENTS) await way.follow(FOLLOWED_EVENTS);
    return done;
  },
};
takeOrders(TASKS);

async function fill(stream: string, count: number): Promise<void> {
  for (let revision = -1; revision < count - 1;) {
    revision = await way.append(stream, revision, newEvents(EVENTS_PER_APPEND, { data: DATA }));
  }
}

/** What whoever knows the client's documentation would write. */
async function bare(): Promise<Way> {
  const client = EventStoreDBClient.connectionString(url);
  // Others' events before ours are no part of the measurement: the adapter begins here as well.
  const after = await endOfAll(client);
  return {
    async append(stream, revision, events) {
      const batch = events.map(({ id, type, data, version, at, meta }) =>
        jsonEvent({ id: uuidOf(id), type, data: { ...data }, metadata: { version, at, meta } }),
      );
      const expectedRevision = revision === -1 ? NO_STREAM : BigInt(revision);
      const result = await client.appendToStream(PREFIX + stream, batch, { expectedRevision });
      return Number(result.nextExpectedRevision);
    },
    async read(stream) {
      let count = 0;
      for await (const { event } of client.readStream(PREFIX + stream)) if (event !== undefined) count += 1;
      return count;
    },
    follow: (events) => followBare(client, PREFIX, events, after),
  };
}

async function adapter(): Promise<Way> {
  const { store } = await openEventStoreDb({ url, prefix: PREFIX });
  return {
    async append(stream, revision, events) {
      const result = await store.append(stream, revision, events);
      if (!result.ok) throw new Error(`a conflict at ${result.actualRevision}`);
      return result.revision;
    },
    async read(stream) {
      let count = 0;
      for await (const event of store.read(stream)) if (event.revision >= 0) count += 1;
      return count;
    },
    async follow(events) {
      const leave = new AbortController();
      let count = 0;
      for await (const page of store.subscribe({ after: null, signal: leave.signal })) {
        count += page.events.length;
        if (count >= events) break;
      }
      leave.abort();
    },
  };
}
