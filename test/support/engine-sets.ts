/**
 * The engines that the same tests are run on: all embedded; the embedded log with the views and tasks of servers; and
 * all of them servers, with EventStoreDB's double where EVENTSTORE_URL names no real one.
 */
import { randomUUID } from 'node:crypto';
import type { Settings } from './served-market.ts';
import { eventStoreDbUrl } from './eventstoredb-logs.ts';
import { startMongo, whyNoMongo } from './mongodb-server.ts';
import { startRedis, whyNoRedis } from './redis-server.ts';
import { startServedDouble } from './served-double.ts';
import { tempFolder } from './temp-folder.ts';
import { defineUnless } from './untested.ts';

export interface EngineSet {
  readonly name: string;
  /** Whether processes on several machines could share it. */
  readonly isShared: boolean;
  /** Why it cannot be started here; null when it can. */
  readonly missing: string | null;
  readonly start: () => Promise<RunningEngines>;
}

export interface RunningEngines {
  /** For the processes of one market, which nobody else shares. */
  readonly settings: Settings;
  /** Those that can be killed and started again. */
  readonly servers: readonly KillableServer[];
  readonly close: () => Promise<void>;
}

export interface KillableServer {
  readonly name: string;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
}

/** Of real servers that whoever runs the tests has named. */
const urls = {
  eventStore: eventStoreDbUrl,
  mongo: process.env['MONGODB_URL'],
  redis: process.env['REDIS_URL'],
} as const;

const embedded: EngineSet = {
  name: 'embedded engines',
  isShared: false,
  missing: null,
  async start() {
    const folder = await tempFolder();
    return { settings: { DATA_DIR: folder.path }, servers: [], close: folder.remove };
  },
};

const sharedViewsAndTasks: EngineSet = {
  name: 'the embedded log, MongoDB and Redis',
  isShared: true,
  missing: (urls.mongo ? null : whyNoMongo()) ?? (urls.redis ? null : whyNoRedis()),
  async start() {
    const folder = await tempFolder();
    const [mongo, redis] = await Promise.all([
      urls.mongo ? named(databaseOfOurOwn(urls.mongo)) : startOwn('MongoDB', startMongo),
      urls.redis ? named(urls.redis) : startOwn('Redis', startRedis),
    ]);
    return {
      settings: {
        DATA_DIR: folder.path,
        MONGODB_URL: mongo.url,
        REDIS_URL: redis.url,
        REDIS_PREFIX: `test-${randomUUID()}:`,
      },
      servers: [...mongo.servers, ...redis.servers],
      async close() {
        await Promise.all([mongo.close(), redis.close()]);
        await folder.remove();
      },
    };
  },
};

const allShared: EngineSet = {
  name: `${urls.eventStore ? 'EventStoreDB' : "EventStoreDB's double"}, MongoDB and Redis`,
  isShared: true,
  missing: sharedViewsAndTasks.missing,
  async start() {
    const others = await sharedViewsAndTasks.start();
    const log = urls.eventStore
      ? named(urls.eventStore)
      : await startOwn("EventStoreDB's double", startServedDouble);
    return {
      settings: {
        ...others.settings,
        EVENTSTORE_URL: log.url,
        EVENTSTORE_PREFIX: `test${randomUUID().replaceAll('-', '')}.`,
        SIGNING_SECRET: randomUUID(),
      },
      servers: [...others.servers, ...log.servers],
      async close() {
        await others.close();
        await log.close();
      },
    };
  },
};

export const engineSets: readonly EngineSet[] = [embedded, sharedViewsAndTasks, allShared];

/** Defines the tests, or says why there are none. */
export function withEngines(
  what: string,
  { missing, start }: EngineSet,
  define: (start: EngineSet['start']) => void,
): void {
  defineUnless(missing, what, () => define(start));
}

interface Reachable {
  readonly url: string;
  readonly servers: readonly KillableServer[];
  readonly close: () => Promise<void>;
}

/** A server that whoever runs the tests has named: it is used and left alone. */
function named(url: string): Reachable {
  return { url, servers: [], close: async () => {} };
}

async function startOwn(
  name: string,
  start: () => Promise<Omit<KillableServer, 'name'> & Pick<Reachable, 'url' | 'close'>>,
): Promise<Reachable> {
  const server = await start();
  return {
    url: server.url,
    servers: [{ name, kill: server.kill, start: server.start }],
    close: server.close,
  };
}

function databaseOfOurOwn(url: string): string {
  const address = new URL(url);
  address.pathname = `/test-${randomUUID()}`;
  return address.href;
}
