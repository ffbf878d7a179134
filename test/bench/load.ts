/** Load over HTTP by autocannon, from this process. */
import autocannon from 'autocannon';
import { cpuSeconds } from './children.ts';
import { percentile } from './statistics.ts';

export interface LoadPlan {
  readonly url: string;
  /** The process that serves it. */
  readonly pid: number;
  readonly seconds: number;
  readonly connections?: number;
  /** All connections together send at most so many a second; as many as they can if absent. */
  readonly perSecond?: number;
  /** What is sent; a plain GET if absent. */
  readonly request?: () => LoadRequest;
  /** Statuses that may come; only 200 if absent. */
  readonly expected?: readonly number[];
}

export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly body?: string;
}

export interface LoadResult {
  /** Answers in a second. */
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** What an answer cost the serving process: less at the mercy of what else the machine does than the rate. */
  readonly cpuUs: number;
  readonly byStatus: ReadonlyMap<number, number>;
}

export const CONNECTIONS = 32;

/** @throws {Error} an answer had another status than it may have, or there were errors */
export async function load(plan: LoadPlan): Promise<LoadResult> {
  const { url, pid, seconds, connections = CONNECTIONS, perSecond, request, expected = [200] } = plan;
  const tookMs: number[] = [];
  const byStatus = new Map<number, number>();
  const startedMs = performance.now();
  const cpuBefore = cpuSeconds(pid);
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options: autocannon.Options = {
      url,
      connections,
      duration: seconds,
      ...(perSecond !== undefined && { overallRate: perSecond }),
      ...(request && { requests: [{ setupRequest: (before) => ({ ...before, ...request() }) }] }),
    };
    const running = autocannon(options, (error, done) => (error ? reject(error) : resolve(done)));
    running.on('response', (_client, status, _bytes, responseTimeMs) => {
      tookMs.push(responseTimeMs);
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    });
  });
  const tookSeconds = (performance.now() - startedMs) / 1_000;
  const wrong = [...byStatus].filter(([status]) => !expected.includes(status));
  if (wrong.length > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.errors} errors, ${wrong.map(([s, n]) => `${n} × ${s}`).join(', ')}`);
  }
  return {
    rate: tookMs.length / tookSeconds,
    p50Ms: percentile(tookMs, 0.5),
    p99Ms: percentile(tookMs, 0.99),
    cpuUs: ((cpuSeconds(pid) - cpuBefore) * 1_000_000) / tookMs.length,
    byStatus,
  };
}
