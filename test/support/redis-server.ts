/**
 * Redis for tests: the one that `REDIS_URL` names, or a `redis-server` of our own on a free port.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type OwnServer, startOwnServer } from './own-server.ts';
import { defineUnless } from './untested.ts';

export interface OwnRedis extends OwnServer {
  readonly url: string;
}

const BINARY = 'redis-server';
const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
/** It has read its data and is ready, be it to ask for a password. */
const GREETING = { ask: 'PING\r\n', answer: /^(\+PONG|-NOAUTH)/ };
const urlOfUser = process.env['REDIS_URL'];

/** Defines the tests, or says on standard error and in the report why there are none. */
export function withRedis(what: string, define: () => void): void {
  defineUnless(urlOfUser ? null : whyNoRedis(), what, define);
}

/** The same for tests that kill and silence their server. */
export function withOwnRedis(what: string, define: () => void): void {
  defineUnless(whyNoRedis(), what, define);
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
  const server = await startOwnServer({
    binary: BINARY,
    argsFor: (port, folder) => ['--port', `${port}`, '--dir', folder, ...DURABLE, ...settings],
    greeting: GREETING,
  });
  return { ...server, url: `redis://127.0.0.1:${server.port}` };
}
