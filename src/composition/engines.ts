/**
 * Which engine stands behind each port, as the settings choose. The one file that imports adapters: everything else
 * knows the ports. Clients of servers are large: each is loaded only where its setting asks for it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Checkpoints } from '../../events/checkpoints.ts';
import { type EventStore, type LogLost, StoreUnavailable } from '../../events/event-store.ts';
import type { LogMark } from '../../events/log-mark.ts';
import { createFolderBlobs } from '../../infra/folder/blobs.ts';
import { createFolderScratch } from '../../infra/folder/scratch.ts';
import { createMemoryLeases } from '../../infra/memory/leases.ts';
import { createMemoryLimiter } from '../../infra/memory/limiter.ts';
import { createTestPayments } from '../../infra/memory/payments.ts';
import {
  logFileIn,
  makeDataFolder,
  meterFileIn,
  queueFileIn,
  viewsFileIn,
} from '../../infra/sqlite/data-folder.ts';
import { tightenDataFolder } from '../../infra/sqlite/folder-rights.ts';
import { openSqliteAccountKeys } from '../../infra/sqlite/account-keys.ts';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { isOpenElsewhere } from '../../infra/sqlite/open-elsewhere.ts';
import { openSqliteMeter } from '../../infra/sqlite/meter.ts';
import { openSqliteQueue } from '../../infra/sqlite/queue.ts';
import { openSqliteViewStore } from '../../infra/sqlite/view-store.ts';
import { createFetcher } from '../../infra/undici/fetcher.ts';
import { type ViewStore, ViewsUnavailable } from '../../projections/view-store.ts';
import { acceptanceOf, assertLossAccepted } from '../checking/accept-loss.ts';
import type { LogFollower } from '../checking/compare-followers.ts';
import { followersOf } from '../checking/followers-of.ts';
import { guardedLog } from '../checking/guarded-log.ts';
import { verifyRegularly } from '../checking/verify-regularly.ts';
import type { Config, SharedEngine } from '../settings/config.ts';
import { type LogPlace, logPlaceOf } from './log-place.ts';
import { naming } from './naming-setting.ts';
import { opening } from './opening.ts';
import { logFailure, reasonOf } from '../logging/failures.ts';
import type { Log } from '../logging/log.ts';
import type { NoteEngine } from '../logging/engine-notes.ts';
import type { Together } from '../migrating/group-appends.ts';
import { assertFinished } from '../migrating/unfinished-copy.ts';
import { type AccountKeys, AccountKeysUnavailable } from '../ports/account-keys.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { DeliveryLog } from '../ports/delivery-log.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import type { Leases } from '../ports/leases.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { Meter } from '../ports/meter.ts';
import type { InspectLog } from '../ports/log-inspection.ts';
import type { Payments } from '../ports/payments.ts';
import { type Queue, QueueUnavailable } from '../ports/queue.ts';
import type { Scratch } from '../ports/scratch.ts';

export { logFileIn };

export interface Engines extends LogEngine, TaskEngine {
  /** Why nothing is written to the log and nothing read on; null while it is the one that its followers know. */
  readonly lost: () => LogLost | null;
  readonly views: ViewStore;
  readonly accountKeys: AccountKeys;
  readonly blobs: Blobs;
  readonly scratch: Scratch;
  readonly payments: Payments;
  readonly fetcher: Fetcher;
  /** To be called when nothing uses them any more. */
  readonly close: () => Promise<void>;
}

export interface LogEngine {
  readonly events: EventStore;
  /** Of those who follow the log, kept where the log is kept: its positions mean nothing elsewhere. */
  readonly checkpoints: Checkpoints;
  /** Where the log is, for people to see. */
  readonly logPlace: string;
  readonly together?: Together;
  /** Absent where the engine looks after its own files. */
  readonly inspect?: InspectLog;
  /** Where the log ended when somebody was last told of an append, where the engine keeps that beside it. */
  readonly witness?: () => LogMark | null;
  readonly close: () => Promise<void>;
}

/** What processes that share the work share besides its facts. */
export interface TaskEngine {
  readonly queue: Queue;
  readonly deliveries: DeliveryLog;
  readonly leases: Leases;
  readonly meter: Meter;
  /** Limiters of different names count apart. */
  readonly createLimiter: (name: string, windowSeconds: number) => Limiter;
  readonly close: () => Promise<void>;
}

/** @throws {StoreUnavailable | ViewsUnavailable | QueueUnavailable} an engine cannot be used; the message says why */
export function openEngines(config: Config, log: Log, noteEngine?: NoteEngine): Promise<Engines> {
  return opening(async ({ keep, close }) => {
    const facts = keep(await openConfiguredLog(config, noteEngine));
    await assertFinished(facts.checkpoints);
    await assertLossAccepted(facts.checkpoints);
    const views = keep(await openViews(config));
    const accountKeys = keep(await openAccountKeys(config));
    const tasks = keep(await openTasks(config, log));
    const fetcher = keep(createFetcher());
    const blobs = await openBlobs(config);
    for (const open of await tightenDataFolder(config.dataDir)) log.warn(open);
    const { events, verify, lost } = guardedLog(facts.events, {
      followers: () => followersOf(facts, views, tasks.queue),
      acceptance: () => acceptanceOf(facts.checkpoints),
      onLost: (failure) => noteEngine?.('log', failure),
    });
    await verify();
    // Embedded, the files are watched instead.
    if (config.eventStore !== undefined)
      keep(verifyRegularly(verify, (error) => logFailure(log, error, {}, 'comparing the log failed')));
    const scratch = createFolderScratch(join(config.dataDir, 'scratch'));
    const others = { views, accountKeys, fetcher, blobs, scratch, payments: createTestPayments() };
    return { ...facts, ...tasks, ...others, events, lost, close };
  });
}

function openConfiguredLog(config: Config, noteEngine: NoteEngine | undefined): Promise<LogEngine> {
  const place = logPlaceOf(config);
  if (place.kind === 'sqlite') return openLogAt(place, config, noteEngine);
  return naming('EVENTSTORE_URL', StoreUnavailable, () => openLogAt(place, config));
}

/** @throws {StoreUnavailable} there is no log to be had; the message says why */
export async function openLogAt(
  place: LogPlace,
  { mongoUrl }: Pick<Config, 'mongoUrl'>,
  noteEngine?: NoteEngine,
): Promise<LogEngine> {
  switch (place.kind) {
    case 'sqlite':
      return openEmbeddedLog(place.dataDir, mongoUrl === undefined, noteEngine);
    case 'eventstoredb':
      return openEventStoreDbLog(place);
  }
}

/** @param keepsViews whether views.db is beside it, whose WAL the log's worker then keeps small */
async function openEmbeddedLog(
  dataDir: string,
  keepsViews: boolean,
  noteEngine: NoteEngine | undefined,
): Promise<LogEngine> {
  await makeDataFolder(dataDir);
  const logPlace = logFileIn(dataDir);
  const maintain = keepsViews ? [viewsFileIn(dataDir)] : [];
  const noting =
    (what: Parameters<NoteEngine>[0]) =>
    (message: string | null): void =>
      noteEngine?.(what, message === null ? null : new StoreUnavailable(message));
  const { store, checkpoints, together, inspect, witness, close } = await openSqliteLog({
    path: logPlace,
    maintain,
    onDisplaced: noting('log'),
    onWitness: noting('bourse.db-head'),
  });
  return { events: store, checkpoints, logPlace, together, inspect, witness, close };
}

async function openEventStoreDbLog({ url, prefix }: SharedEngine): Promise<LogEngine> {
  const { openEventStoreDb } = await import('../../infra/eventstoredb/event-store.ts');
  const { store, checkpoints, together, close } = await openEventStoreDb({ url, prefix });
  return { events: store, checkpoints, together, logPlace: `the streams ${prefix}… of EventStoreDB`, close };
}

/** The log of the settings, for whoever only looks at it: nothing of it is created or changed. */
export async function openLogToLook(config: Config): Promise<LogEngine> {
  const place = logPlaceOf(config);
  if (place.kind !== 'sqlite') return openLogAt(place, config);
  const logPlace = logFileIn(place.dataDir);
  const { store, ...engine } = await openSqliteLog({ path: logPlace, isLeftAlone: true });
  return { events: store, logPlace, ...engine };
}

export interface FollowedLog extends LogEngine {
  readonly views: ViewStore;
  readonly queue: Queue;
  readonly followers: () => Promise<readonly LogFollower[]>;
}

/**
 * The log with those who follow it, whether it is the one that they know or not: for whoever is to put that right.
 * @throws {StoreUnavailable} another process uses it; of servers that cannot be seen, and those processes find it out
 */
export async function openFollowedLog(config: Config, log: Log): Promise<FollowedLog> {
  const place = logPlaceOf(config);
  if (place.kind === 'sqlite' && isOpenElsewhere(logFileIn(place.dataDir)))
    throw new StoreUnavailable(
      `${logFileIn(place.dataDir)} is open in another process: stop the service, and whatever else reads it, first`,
    );
  return opening(async ({ keep, close }) => {
    const facts = keep(await openLogAt(place, config));
    const views = keep(await openViews(config));
    const { queue } = keep(await openTasks(config, log));
    return { ...facts, views, queue, followers: () => followersOf(facts, views, queue), close };
  });
}

/** Whoever follows the log, without making a file for one that there is not. */
export async function logFollowers(
  config: Config,
  facts: Pick<LogEngine, 'witness'>,
  log: Log,
): Promise<readonly LogFollower[]> {
  const hasViews = config.mongoUrl !== undefined || existsSync(viewsFileIn(config.dataDir));
  const hasTasks = config.redis !== undefined || existsSync(queueFileIn(config.dataDir));
  return opening(async ({ keep, close }) => {
    const views = hasViews ? keep(await openViews(config)) : null;
    const tasks = hasTasks ? keep(await openTasks(config, log)) : null;
    const followers = await followersOf(facts, views, tasks?.queue ?? null);
    await close();
    return followers;
  });
}

async function openViews({ eventStore, mongoUrl, dataDir }: Config): Promise<ViewStore> {
  if (mongoUrl === undefined) {
    await makeDataFolder(dataDir);
    return openSqliteViewStore(viewsFileIn(dataDir), { isAlone: eventStore !== undefined });
  }
  const { openMongoViewStore } = await import('../../infra/mongodb/view-store.ts');
  return naming('MONGODB_URL', ViewsUnavailable, () => openMongoViewStore({ url: mongoUrl }));
}

/** Where several processes may share the views, these are shared too. */
async function openAccountKeys({ mongoUrl, dataDir }: Config): Promise<AccountKeys> {
  if (mongoUrl === undefined) {
    await makeDataFolder(dataDir);
    return openSqliteAccountKeys(join(dataDir, 'people.db'));
  }
  const { openMongoAccountKeys } = await import('../../infra/mongodb/account-keys.ts');
  return naming('MONGODB_URL', AccountKeysUnavailable, () => openMongoAccountKeys({ url: mongoUrl }));
}

async function openTasks({ redis, role, dataDir }: Config, log: Log): Promise<TaskEngine> {
  if (redis === undefined) {
    await makeDataFolder(dataDir);
    const { leases, close: closeQueue, ...tasks } = openSqliteQueue(queueFileIn(dataDir));
    const { meter, close: closeMeter } = openSqliteMeter(meterFileIn(dataDir));
    return {
      ...tasks,
      // Alone it waits for nobody, also after it was killed. Another beside it does no harm: see projecting/projector.ts.
      leases: role === 'all' ? createMemoryLeases() : leases,
      meter,
      createLimiter: (_name, windowSeconds) => createMemoryLimiter(windowSeconds),
      close: async () => void (await Promise.all([closeMeter(), closeQueue()])),
    };
  }
  const { openRedis } = await import('../../infra/redis/engine.ts');
  const { limiter, ...shared } = await naming('REDIS_URL', QueueUnavailable, () =>
    openRedis({ ...redis, onError: (error) => log.warn({ reason: reasonOf(error) }, 'redis in trouble') }),
  );
  return {
    ...shared,
    createLimiter: (name, windowSeconds) => limiter(name, windowSeconds, createMemoryLimiter(windowSeconds)),
  };
}

async function openBlobs({ dataDir, artifactsBucket }: Config): Promise<Blobs> {
  if (artifactsBucket === undefined) return createFolderBlobs(join(dataDir, 'artifacts'));
  const { createS3Blobs } = await import('../../infra/s3/blobs.ts');
  return createS3Blobs(artifactsBucket);
}
