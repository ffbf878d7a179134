/** What others notice while a server is attacked: how soon it answers them, and how much memory it takes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
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

/** How long a GET takes, in milliseconds; from another address than the attackers, who are at 127.0.0.1. */
export function answerTime(url: string, localAddress = '127.0.0.2'): Promise<number> {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    const asked = request(url, { localAddress, agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(performance.now() - startedMs));
    });
    asked.on('error', reject).end();
  });
}

/** How long answers took somebody else while the work went on: the one in the middle of them, in milliseconds. */
export async function answerTimeDuring(url: string, work: () => Promise<unknown>): Promise<number> {
  const bystander = spawn(process.execPath, ['--import', 'tsx', BYSTANDER, url], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  endWithUs(bystander);
  let output = '';
  bystander.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await until('somebody else was answered', () => output.includes('ready\n'));
  try {
    await work();
  } finally {
    const ended = once(bystander, 'exit');
    bystander.stdin.end();
    await ended;
  }
  return median(output.trim().split('\n').slice(1).map(Number));
}

/** What an answer of the API has here. */
export interface Answered {
  readonly status: number;
  /** Of what was made; undefined where nothing was. */
  readonly id: string | undefined;
}

export type Ask = (method: 'POST' | 'DELETE', path: string, body?: object) => Promise<Answered>;

/** Asks with a key of its own, of an account of its own, which may buy for a million. */
export async function newBuyer(
  program: Program,
  settings: Settings,
  url: string,
  account: string,
): Promise<Ask> {
  const scopes = 'trials:create,jobs:cancel,webhooks:manage';
  const caps = ['--allow', 'trial:create', '--max-per-transaction', '100000', '--max-monthly', '100000000'];
  const wanted = ['--account', account, '--name', 'test', '--scopes', scopes, ...caps, '--json'];
  const { key } = JSON.parse(await program.run(settings, ['key', 'create', ...wanted]));
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

export function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? Infinity;
}
