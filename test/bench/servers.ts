/** The servers that are measured: the market itself from `dist`, and constants as ceilings. */
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../support/ports.ts';
import type { BenchRun } from './bench.ts';
import { type Child, type ChildOptions, cpuSeconds, startChild, startGauge } from './children.ts';

/** A process of ours that listens. */
export interface Listening {
  readonly origin: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

export interface Served extends Listening {
  readonly child: Child;
  /** From the start of the process to the first 200. */
  readonly startMs: number;
  /** What it used of its core until then. */
  readonly startCpuMs: number;
}

/** An agent of the seeds. */
export const AGENT_PATH = '/v1/agents/invoice-matcher';
/** A bench is one client, and more than any client is to be. */
export const NO_LIMITS = {
  PUBLIC_RATE_LIMIT: '1000000000',
  ACCOUNT_RATE_LIMIT: '1000000000',
  ACCOUNT_DAILY_TRIALS: '1000000000',
  ACCOUNT_DAILY_MIB: '1000000000',
} as const;
const START_TIMEOUT_MS = 120_000;
const LOOK_EVERY_MS = 2;

/** Starts `dist` on a data folder as `npm start` does, but for source maps and the limit on public reads. */
export async function serveMarket(
  { root }: BenchRun,
  dataDir: string,
  { env = {}, ...options }: ChildOptions = {},
): Promise<Served> {
  const port = await freePort();
  const startedMs = performance.now();
  const settings = { PORT: String(port), DATA_DIR: dataDir, ...NO_LIMITS };
  const child = startChild(join(root, 'dist/main.js'), [], { ...options, env: { ...settings, ...env } });
  const origin = `http://127.0.0.1:${port}`;
  while ((await statusOf(origin + AGENT_PATH)) !== 200) {
    if (child.process.exitCode !== null) throw new Error('the market did not start');
    if (performance.now() - startedMs > START_TIMEOUT_MS) throw new Error('the market does not answer');
    await pause(LOOK_EVERY_MS);
  }
  const { pid, stop } = child;
  const startMs = performance.now() - startedMs;
  return { origin, pid, child, startMs, startCpuMs: cpuSeconds(pid) * 1_000, stop };
}

/** Waits until every view has come to the end of the log. */
export async function untilReady({ origin }: Pick<Listening, 'origin'>): Promise<void> {
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  while ((await statusOf(`${origin}/readyz`)) !== 200) {
    if (performance.now() > deadlineMs) throw new Error('the market does not get ready');
    await pause(20);
  }
}

export interface Constant {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** A server that answers with `bytes` bytes of JSON, always the same: as plain node, or as Express with `res.end`. */
export async function serveConstant(kind: 'node' | 'express', bytes: number): Promise<Constant> {
  const port = await freePort();
  const gauge = await startGauge<unknown>('constant.main.ts', [kind, String(bytes), String(port)]);
  return { url: `http://127.0.0.1:${port}/v1/agents/constant`, pid: gauge.pid, stop: gauge.stop };
}

export async function bodyBytes(url: string, init?: RequestInit): Promise<number> {
  const answer = await fetch(url, init);
  return Buffer.byteLength(await answer.text());
}

/** Resident memory of the process in MiB: all of it, or what no file backs. */
export function residentMib({ pid }: Served, kind: 'VmRSS' | 'RssAnon' = 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${kind}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024;
}

/** The status of a GET on a connection of its own; undefined where nobody answers. */
function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const req = request(url, { agent: false }, (res) => {
      res.resume();
      res.on('end', () => resolve(res.statusCode));
    });
    req.on('error', () => resolve(undefined));
    req.end();
  });
}
