/**
 * MongoDB for tests: the one that `MONGODB_URL` names, or FerretDB, a server that speaks its protocol, on a free port
 * with its data in a folder that goes with it. A server of our own can also be killed, silenced and started again.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { tempFolder } from './temp-folder.ts';
import { until } from './until.ts';

export interface OwnMongo {
  /** Without a database: what is opened there takes its default. */
  readonly url: string;
  readonly port: number;
  /** Ends it as a crash does. */
  readonly kill: () => Promise<void>;
  /** Starts it again on its port, with its data. */
  readonly start: () => Promise<void>;
  /** It keeps its connections and says nothing. */
  readonly silence: () => void;
  readonly wake: () => void;
  /** Ends it and removes its data. */
  readonly close: () => Promise<void>;
}

export interface MongoDatabase {
  readonly url: string;
  /** Drops it. */
  readonly close: () => Promise<void>;
}

const goFolder = process.env['GOPATH'] || join(homedir(), 'go');
const BINARIES = ['ferretdb', join(goFolder, 'bin', 'ferretdb')];
const QUIET = ['--debug-addr=-', '--telemetry=disable', '--log-level=ERROR'];
const urlOfUser = process.env['MONGODB_URL'];

/** What has to go when this process ends, also where a test forgot it. */
const leftovers = new Set<() => void>();
process.once('exit', () => leftovers.forEach((remove) => remove()));

/** Defines the tests, or says on standard error and in the report why there are none. */
export function withMongo(what: string, define: () => void): void {
  defineUnless(urlOfUser ? null : whyNoMongo(), what, define);
}

/** The same for tests that kill and silence their server. */
export function withOwnMongo(what: string, define: () => void): void {
  defineUnless(whyNoMongo(), what, define);
}

function defineUnless(why: string | null, what: string, define: () => void): void {
  if (why === null) return define();
  process.stderr.write(`${what} is not tested: ${why}\n`);
  describe(what, () => void it(`is not tested: ${why}`));
}

/** Why there can be no server of our own; null when there can. */
export function whyNoMongo(): string | null {
  if (findBinary() !== undefined) return null;
  return 'no ferretdb that runs is on the PATH or in GOPATH/bin, and MONGODB_URL names no server';
}

/** One that was made by `go install` ends at once: it misses a file that its own build makes. */
function findBinary(): string | undefined {
  return BINARIES.find((binary) => spawnSync(binary, ['--version'], { stdio: 'ignore' }).status === 0);
}

let shared: Promise<string> | undefined;

/** A database of its own on a server that all tests of this run share. */
export async function newMongoDatabase(): Promise<MongoDatabase> {
  shared ??= urlOfUser ? Promise.resolve(urlOfUser) : startMongo().then(({ url }) => url);
  const url = withDatabase(await shared, `bourse-test-${randomUUID()}`);
  return {
    url,
    async close() {
      const client = new MongoClient(url);
      await client.db().dropDatabase();
      await client.close();
    },
  };
}

/** The same address with another database in it; several servers may stand in one. */
export function withDatabase(url: string, database: string): string {
  return url.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${database}`);
}

/** @param settings more of FerretDB's own */
export async function startMongo(settings: readonly string[] = []): Promise<OwnMongo> {
  const binary = findBinary();
  if (binary === undefined) throw new Error(whyNoMongo() ?? '');
  const folder = await tempFolder();
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const args = [
    `--listen-addr=${address}`,
    '--handler=sqlite',
    `--sqlite-url=file:${folder.path}/`,
    `--state-dir=${folder.path}`,
    ...QUIET,
    ...settings,
  ];
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    child = spawn(binary, args, { stdio: 'ignore', cwd: folder.path });
    child.unref();
    await until(`${binary} listens on ${address}`, () => listens(port));
  };
  const remove = (): void => {
    child.kill('SIGKILL');
    rmSync(folder.path, { recursive: true, force: true });
  };
  leftovers.add(remove);
  await start();
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return {
    url: `mongodb://${address}/`,
    port,
    kill,
    start,
    silence: () => void child.kill('SIGSTOP'),
    wake: () => void child.kill('SIGCONT'),
    async close() {
      await kill();
      remove();
      leftovers.delete(remove);
    },
  };
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
