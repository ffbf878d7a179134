/**
 * MongoDB for tests: the one that `MONGODB_URL` names, or FerretDB, a server that speaks its protocol, on a free port
 * with its data in a folder that goes with it.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { type OwnServer, startOwnServer } from './own-server.ts';
import { defineUnless } from './untested.ts';

export interface OwnMongo extends OwnServer {
  /** Without a database: what is opened there takes its default. */
  readonly url: string;
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

/** Defines the tests, or says on standard error and in the report why there are none. */
export function withMongo(what: string, define: () => void): void {
  defineUnless(urlOfUser ? null : whyNoMongo(), what, define);
}

/** The same for tests that kill and silence their server. */
export function withOwnMongo(what: string, define: () => void): void {
  defineUnless(whyNoMongo(), what, define);
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

/**
 * @param settings more of FerretDB's own
 * @param keptIn where its data are and stay; by default in a folder that goes with it
 */
export async function startMongo(settings: readonly string[] = [], keptIn?: string): Promise<OwnMongo> {
  const binary = findBinary();
  if (binary === undefined) throw new Error(whyNoMongo() ?? '');
  const server = await startOwnServer({
    binary,
    argsFor: (port, folder) => [
      `--listen-addr=127.0.0.1:${port}`,
      '--handler=sqlite',
      `--sqlite-url=file:${keptIn ?? folder}/`,
      `--state-dir=${keptIn ?? folder}`,
      ...QUIET,
      ...settings,
    ],
    greeting: null,
  });
  return { ...server, url: `mongodb://127.0.0.1:${server.port}/` };
}
