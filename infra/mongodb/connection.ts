/**
 * The connection to MongoDB. Every call ends within a deadline of ours, whatever the driver does, and writes are
 * answered only when a majority has them in its journal, so that no checkpoint outlives its documents.
 */
import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import { ViewsUnavailable } from '../../projections/view-store.ts';
import { type EngineKind, engineKindOf } from './engine-kind.ts';
import { inWordsOfThePort, isTrouble, reasonOf } from './view-errors.ts';

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
  /** @throws {ViewsUnavailable} no answer, or none within the deadline */
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
  const close = (): Promise<void> => closing(client, deadlineMs);
  const db = client.db(database);
  try {
    const kind = await within(START_DEADLINE_MS, shown, () => greet(client, db, shown));
    return {
      db,
      kind,
      maxTimeMS: deadlineMs,
      ask: (call) => answering(shown, () => within(deadlineMs, shown, call)),
      askPatiently: (call) => patiently(url, database, shown, call),
      close,
    };
  } catch (error) {
    await close();
    if (!isTrouble(error)) throw error;
    throw new ViewsUnavailable(`${shown} cannot be used: ${reasonOf(error, client.options.tls)}`);
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

async function patiently<T>(
  url: string,
  database: string,
  shown: string,
  call: (db: Db) => Promise<T>,
): Promise<T> {
  const client = clientOf(url, DEADLINE_MS, { socketTimeoutMS: 0, maxPoolSize: 1 });
  try {
    return await answering(shown, () => within(PATIENT_DEADLINE_MS, shown, () => call(client.db(database))));
  } finally {
    await closing(client, DEADLINE_MS);
  }
}

async function answering<T>(shown: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw inWordsOfThePort(error, shown);
  }
}

/** What comes after the deadline is nobody's any more. */
async function within<T>(deadlineMs: number, shown: string, call: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const refuse = (): void =>
      reject(new ViewsUnavailable(`${shown} gave no answer within ${deadlineMs} ms`));
    timer = setTimeout(refuse, deadlineMs);
  });
  try {
    return await Promise.race([call(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The driver says goodbye to the engine first, which may not answer. */
async function closing(client: MongoClient, deadlineMs: number): Promise<void> {
  await within(deadlineMs, 'MongoDB', () => client.close()).catch(() => {});
}
