/** What others notice while a server is attacked: how soon it answers them, and how much memory it takes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request, type RequestOptions } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Program } from '../support/built-program.ts';
import { endWithUs } from '../support/child-processes.ts';
import type { Settings } from '../support/served-market.ts';
import { until } from '../support/until.ts';

const BYSTANDER = fileURLToPath(new URL('bystander.main.ts', import.meta.url));

const OWN_NAMES = fileURLToPath(new URL('../support/own-names.cjs', import.meta.url));

/**
 * For a server whose memory is measured, with what else node is told. Its heap has so little room that V8 collects what is
 * not held any more, and malloc few arenas that it would not give back: how far each goes by itself hangs on the version
 * of Node and on how busy the machine is.
 */
export const measured = (nodeOptions = ''): Settings => ({
  MALLOC_ARENA_MAX: '2',
  NODE_OPTIONS: [
    '--max-semi-space-size=4 --max-old-space-size=96',
    process.env['NODE_OPTIONS'],
    nodeOptions,
  ].join(' '),
});

/** For a server that asks this DNS server (`address:port`), and no other, for the names of receivers. */
export const namesFrom = (address: string): Settings => ({
  NAME_SERVER: address,
  ...measured(`--require ${OWN_NAMES}`),
});

/** Resident memory of a process, in bytes. */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}

/** What somebody else asks of the server with this process, with a key if it has one; with an order it is a trial. */
export interface Asked {
  readonly url: string;
  readonly pid: number;
  readonly key?: string;
  readonly order?: { readonly key: string; readonly body: object };
}

/** Not that of the attackers, who are at 127.0.0.1. */
const ANOTHER_ADDRESS = '127.0.0.2';

/**
 * How long an answer takes, in milliseconds, from another address than the attackers, but for the time in which the
 * machine ran others than the two. Whoever is told to ask again does, and the time goes on. @throws when it is a refusal
 */
export async function answerTime(asked: Asked): Promise<number> {
  const passedMs = (): number => performance.now() - queuedMs('self') - queuedMs(asked.pid);
  const startedMs = passedMs();
  for (;;) {
    const { status, retryAfter } = await answerTo(asked);
    if (status < 400) return passedMs() - startedMs;
    if (status !== 503 || retryAfter === undefined)
      throw new Error(`somebody else was refused with ${status}`);
    await pause(Number(retryAfter) * 1_000);
  }
}

function answerTo({ url, key, order }: Asked): Promise<{ status: number; retryAfter: string | undefined }> {
  const options: RequestOptions = { localAddress: ANOTHER_ADDRESS, agent: false };
  if (key !== undefined) options.headers = { Authorization: `Bearer ${key}` };
  if (order !== undefined) {
    options.method = 'POST';
    options.headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${order.key}` };
  }
  return new Promise((resolve, reject) => {
    const asked = request(url, options, (response) => {
      const { statusCode = 0, headers } = response.resume();
      response.on('end', () => resolve({ status: statusCode, retryAfter: headers['retry-after'] }));
    });
    asked.on('error', reject).end(order && JSON.stringify(order.body));
  });
}

/** How long a process's first thread has been ready to run and was not run, in milliseconds; only Linux tells. */
function queuedMs(pid: number | 'self'): number {
  if (process.platform !== 'linux') return 0;
  const [, queuedNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(queuedNs) / 1e6;
}

/** How long answers took somebody else while the work went on: the one in the middle of them, in milliseconds. */
export async function answerTimeDuring(asked: Asked, work: () => Promise<unknown>): Promise<number> {
  const bystander = spawn(process.execPath, ['--import', 'tsx', BYSTANDER, JSON.stringify(asked)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  endWithUs(bystander);
  const ended = once(bystander, 'exit');
  let output = '';
  bystander.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await until('somebody else was answered', () => output.includes('ready\n'));
  try {
    await work();
  } finally {
    bystander.stdin.end();
    await ended;
  }
  expect(bystander.exitCode, 'somebody else was answered to the end').to.equal(0);
  return median(output.trim().split('\n').slice(1).map(Number));
}

/** What an answer of the API has here. */
export interface Answered {
  readonly status: number;
  /** Of what was made; undefined where nothing was. */
  readonly id: string | undefined;
}

export type Ask = (method: 'POST' | 'DELETE', path: string, body?: object) => Promise<Answered>;

/** A key of its own, of an account of its own, which may buy for a million. */
export async function newBuyerKey(program: Program, settings: Settings, account: string): Promise<string> {
  const scopes = 'trials:create,jobs:cancel,webhooks:manage';
  const caps = ['--allow', 'trial:create', '--max-per-transaction', '100000', '--max-monthly', '100000000'];
  const wanted = ['--account', account, '--name', 'test', '--scopes', scopes, ...caps, '--json'];
  return JSON.parse(await program.run(settings, ['key', 'create', ...wanted])).key;
}

/** Asks with such a key. */
export async function newBuyer(
  program: Program,
  settings: Settings,
  url: string,
  account: string,
): Promise<Ask> {
  const key = await newBuyerKey(program, settings, account);
  return async (method, path, body = {}) => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
    const sent = method === 'DELETE' ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(url + path, { method, headers, ...sent });
    const text = await answer.text();
    // As the description has it.
    const { data } = (text === '' ? {} : JSON.parse(text)) as { data?: { id?: string } | null };
    return { status: answer.status, id: data?.id };
  };
}

/** What is not noticed as slow, so that a pause of this machine is no failure. */
const SOON_MS = 100;

/**
 * The work goes on, and what somebody else asks meanwhile takes at most twice as long as without it: before it or after
 * it, as what else this machine has to do comes and goes.
 */
export async function expectUndisturbed(asked: Asked, work: () => Promise<unknown>): Promise<void> {
  const beforeMs = await answerTimeWithout(asked);
  const duringMs = await answerTimeDuring(asked, work);
  expectAsSoon(duringMs, [beforeMs, await answerTimeWithout(asked)]);
}

/** How long answers take somebody else whom nobody disturbs: the one in the middle of them, in milliseconds. */
export async function answerTimeWithout(asked: Asked, count = 20): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) times.push(await answerTime(asked));
  return median(times);
}

export function expectAsSoon(duringMs: number, withoutMs: readonly number[]): void {
  expect(duringMs, `${withoutMs.join(' and ')} ms without`).to.be.below(2 * Math.max(...withoutMs, SOON_MS));
}

export function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? Infinity;
}
