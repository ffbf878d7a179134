/** Emmett's SQLite store, installed on demand beside the benches and never a dependency of the project. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PEERS = fileURLToPath(new URL('peers/', import.meta.url));
const PACKAGES = {
  '@event-driven-io/emmett': '0.38.5',
  '@event-driven-io/emmett-sqlite': '0.38.5',
  // What the two ask for without saying so.
  'async-retry': '1.3.3',
  sqlite3: '5.1.7',
  uuid: '10.0.0',
  'web-streams-polyfill': '4.1.0',
};

interface Connection {
  readonly command: (sql: string) => Promise<unknown>;
}

/** As much of it as the bench uses. */
interface EmmettSqlite {
  readonly sqliteConnection: (options: { fileName: string }) => Connection;
  readonly createEventStoreSchema: (connection: Connection) => Promise<void>;
  readonly appendToStream: (
    connection: Connection,
    streamName: string,
    streamType: string,
    events: readonly EmmettEvent[],
    options: { readonly expectedStreamVersion: bigint },
  ) => Promise<{ readonly success: boolean }>;
}

interface EmmettEvent {
  readonly type: string;
  readonly data: object;
  readonly metadata: object;
}

/** Answers with the folder it is in. @throws {Error} it cannot be installed or built here */
export function installEmmett(): string {
  if (existsSync(join(PEERS, 'node_modules/sqlite3/build/Release/node_sqlite3.node'))) return PEERS;
  mkdirSync(PEERS, { recursive: true });
  const description = { private: true, dependencies: PACKAGES, allowScripts: { sqlite3: true } };
  writeFileSync(join(PEERS, 'package.json'), JSON.stringify(description, null, 2));
  const home = dirname(dirname(process.execPath));
  // Where nothing is built for this Node, it is built from source, with the headers that came with it.
  const headers = existsSync(join(home, 'include/node')) ? { npm_config_nodedir: home } : {};
  execFileSync('npm', ['install', '--legacy-peer-deps', '--no-audit', '--no-fund'], {
    cwd: PEERS,
    env: { ...process.env, ...headers },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return PEERS;
}

export type EmmettAppend = (stream: string, version: bigint, event: EmmettEvent) => Promise<void>;

/**
 * Its appends on a new file, as durable as ours: write-ahead log, synchronous=FULL. Its store opens the file anew for
 * each append; this keeps one connection open, which is faster. Its transactions must not overlap on one connection,
 * so the appends in flight wait for one another.
 * @param peers where it is installed
 */
export async function openEmmett(peers: string, path: string): Promise<EmmettAppend> {
  const require = createRequire(peers);
  // Installed on demand, so that there are no types of it here.
  const emmett = require('@event-driven-io/emmett-sqlite') as EmmettSqlite;
  const connection = emmett.sqliteConnection({ fileName: path });
  await connection.command('PRAGMA synchronous = FULL');
  await emmett.createEventStoreSchema(connection);
  let last: Promise<unknown> = Promise.resolve();
  return async (stream, version, event) => {
    const options = { expectedStreamVersion: version };
    const appending = last.then(() => emmett.appendToStream(connection, stream, 'mandate', [event], options));
    last = appending;
    if (!(await appending).success) throw new Error('Emmett refused an append');
  };
}
