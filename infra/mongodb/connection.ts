/**
 * The connection to MongoDB. Every call ends within a deadline of ours, whatever the driver does; after one that was not
 * answered, calls are refused at once until the engine answers again. Writes are answered only when a majority has them
 * in its journal, so that no checkpoint outlives its documents.
 */
import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import { ViewsUnavailable } from '../../projections/view-store.ts';
import { type EngineKind, engineKindOf } from './engine-kind.ts';
import { type Outage, outage, Silence } from './outage.ts';
import { inWordsOfThePort, isDriverError, reasonOf } from './view-errors.ts';

export interface MongoOptions {
  /** `mongodb://` or `mongodb+srv://`; its path names the database, `bourse` when there is none. */
  readonly url: string;
  /** For one call (default 5 s). */
  readonly deadlineMs?: number;
}

export interface MongoLink {
  readonly db: Db;
  readonly kind: EngineKind;
  /** How long the engine may work on one question, in milliseconds. */
  readonly maxTimeMS: number;
  /** @throws {ViewsUnavailable} no answer, none within the deadline, or nothing was asked since there was none before */
  readonly ask: <T>(call: () => Promise<T>) => Promise<T>;
  /** For what may take minutes, over a connection of its own. @throws {ViewsUnavailable} */
  readonly askPatiently: <T>(call: (db: Db) => Promise<T>) => Promise<T>;
  /** Nothing of it keeps the process alive afterwards. */
  readonly close: () => Promise<void>;
}

const DEFAULT_DATABASE = 'bourse';
const DEADLINE_MS = 5_000;
const START_DEADLINE_MS = 8_000;
const PATIENT_DEADLINE_MS = 60 * 60 * 1_000;
const MAX_CONNECTIONS = 50;
/** MongoDB 6.0. */
const MIN_WIRE_VERSION = 17;

/** @throws {ViewsUnavailable} it cannot be reached, lets nobody in, or is too old: one line that says why */
export async function connectMongo({ url, deadlineMs = DEADLINE_MS }: MongoOptions): Promise<MongoLink> {
  const database = databaseOf(url);
  const client = clientOf(url, deadlineMs);
  const shown = `MongoDB at ${client.options.hosts.join(',') || client.options.srvHost}/${database}`;
  const db = client.db(database);
  const away = outage({
    ping: () => within(deadlineMs, () => db.command({ ping: 1 })),
    connectAnew: (signal) => connectAnew(client, deadlineMs, signal),
  });
  const close = (): Promise<void> => {
    away.end();
    return closing(client, deadlineMs);
  };
  try {
    const kind = await within(START_DEADLINE_MS, () => greet(client, db, shown));
    return {
      db,
      kind,
      maxTimeMS: deadlineMs,
      ask: (call) => answering(shown, away, () => within(deadlineMs, call)),
      askPatiently: (call) => answering(shown, away, () => patiently(url, database, call)),
      close,
    };
  } catch (error) {
    await close();
    if (!isDriverError(error)) throw error;
    throw new ViewsUnavailable(`${shown} cannot be used: ${reasonOf(error, client.options)}`);
  }
}

async function greet(client: MongoClient, db: Db, shown: string): Promise<EngineKind> {
  await client.connect();
  const { maxWireVersion } = await db.admin().command({ hello: 1 });
  if (!(maxWireVersion >= MIN_WIRE_VERSION)) {
    throw new ViewsUnavailable(
      `${shown} is too old: it speaks wire version ${maxWireVersion}, and ${MIN_WIRE_VERSION} (MongoDB 6.0) is the least`,
    );
  }
  // What was asked so far is answered without a password.
  await db.collection('registry').findOne({});
  return engineKindOf(await db.admin().command({ buildInfo: 1 }));
}

function databaseOf(url: string): string {
  const path = /^mongodb(?:\+srv)?:\/\/[^/?]+\/(?<path>[^?]*)/.exec(url)?.groups?.['path'];
  const database = path || DEFAULT_DATABASE;
  if (/^[a-zA-Z0-9_-]{1,63}$/.test(database)) return database;
  throw new ViewsUnavailable(
    'the database that the address of MongoDB names is not 1 to 63 letters, digits, - or _',
  );
}

/** @throws {ViewsUnavailable} the address is none; it is not repeated, as a password may be in it */
function clientOf(url: string, deadlineMs: number, more: MongoClientOptions = {}): MongoClient {
  const shorterMs = Math.ceil(deadlineMs * 0.6);
  try {
    return new MongoClient(url, {
      connectTimeoutMS: shorterMs,
      serverSelectionTimeoutMS: shorterMs,
      waitQueueTimeoutMS: shorterMs,
      socketTimeoutMS: deadlineMs,
      maxPoolSize: MAX_CONNECTIONS,
      readPreference: 'primary',
      writeConcern: { w: 'majority', journal: true, wtimeoutMS: shorterMs },
      ...more,
    });
  } catch {
    throw new ViewsUnavailable(
      'the address of MongoDB is not like mongodb://user:password@mongo.example:27017/bourse, or has unknown options',
    );
  }
}

async function patiently<T>(url: string, database: string, call: (db: Db) => Promise<T>): Promise<T> {
  const client = clientOf(url, DEADLINE_MS, { socketTimeoutMS: 0, maxPoolSize: 1 });
  try {
    return await within(PATIENT_DEADLINE_MS, () => call(client.db(database)));
  } finally {
    await closing(client, DEADLINE_MS);
  }
}

async function answering<T>(shown: string, away: Outage, call: () => Promise<T>): Promise<T> {
  const cause = away.cause();
  if (cause !== undefined) throw new ViewsUnavailable(`${shown} is away`, { cause });
  const askedAtMs = performance.now();
  try {
    return await call();
  } catch (error) {
    away.suspect(error, askedAtMs);
    throw inWordsOfThePort(error, shown);
  }
}

/** What comes after the deadline is nobody's any more. @throws {Silence} */
async function within<T>(deadlineMs: number, call: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Silence(`no answer within ${deadlineMs} ms`)), deadlineMs);
  });
  try {
    return await Promise.race([call(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The driver's own look-out can end for good with the connection that it looks from: what it asks at the moment in which
 * that closes is never answered (7.9). Then it finds the engine again by a new one alone. What was made of the client
 * stays good.
 */
async function connectAnew(client: MongoClient, deadlineMs: number, signal: AbortSignal): Promise<void> {
  await closing(client, deadlineMs);
  if (!signal.aborted) await within(deadlineMs, () => client.connect());
}

/** The driver says goodbye to the engine first, which may not answer. */
async function closing(client: MongoClient, deadlineMs: number): Promise<void> {
  await within(deadlineMs, () => client.close()).catch(() => {});
}
