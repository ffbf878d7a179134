/**
 * Redis for tests: the one that `REDIS_URL` names, or a `redis-server` of our own on a free port, with its data in a
 * folder that goes with it. A server of our own can also be killed, silenced and started again.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tempFolder } from './temp-folder.ts';
import { until } from './until.ts';

export interface OwnRedis {
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

const BINARY = 'redis-server';
const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
const urlOfUser = process.env['REDIS_URL'];

/** What has to go when this process ends, also where a test forgot it. */
const leftovers = new Set<() => void>();
process.once('exit', () => leftovers.forEach((remove) => remove()));

/** Defines the tests, or says on standard error and in the report why there are none. */
export function withRedis(what: string, define: () => void): void {
  defineUnless(urlOfUser ? null : whyNoRedis(), what, define);
}

/** The same for tests that kill and silence their server. */
export function withOwnRedis(what: string, define: () => void): void {
  defineUnless(whyNoRedis(), what, define);
}

function defineUnless(why: string | null, what: string, define: () => void): void {
  if (why === null) return define();
  process.stderr.write(`${what} is not tested: ${why}\n`);
  describe(what, () => void it(`is not tested: ${why}`));
}

/** Why there can be no server of our own; null when there can. */
export function whyNoRedis(): string | null {
  const { error } = spawnSync(BINARY, ['--version'], { stdio: 'ignore' });
  return error === undefined ? null : `${BINARY} is not on the PATH, and REDIS_URL names no other`;
}

let shared: Promise<string> | undefined;

/** The address of a Redis that all tests of this run share: whoever uses it takes a prefix of his own. */
export function sharedRedisUrl(): Promise<string> {
  return (shared ??= urlOfUser ? Promise.resolve(urlOfUser) : startRedis().then(({ url }) => url));
}

export function newPrefix(): string {
  return `test-${randomUUID()}:`;
}

/** Durable to the last command, as far as `settings` do not say otherwise. */
export async function startRedis(settings: readonly string[] = []): Promise<OwnRedis> {
  const folder = await tempFolder();
  const port = await freePort();
  const args = ['--port', `${port}`, '--dir', folder.path, '--logfile', folder.file('log'), ...DURABLE];
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    child = spawn(BINARY, [...args, ...settings], { stdio: 'ignore' });
    child.unref();
    await until(`${BINARY} answers on port ${port}`, () => answers(port));
  };
  const remove = (): void => {
    child.kill('SIGKILL');
    rmSync(folder.path, { recursive: true, force: true });
  };
  leftovers.add(remove);
  await start();
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.ref();
    child.kill('SIGKILL');
    await exited;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
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

/** Whether it has read its data and is ready, be it to ask for a password. */
async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  try {
    await once(socket, 'connect');
    socket.write('PING\r\n');
    const [answer] = await once(socket, 'data');
    return /^(\+PONG|-NOAUTH)/.test(String(answer));
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
