/** The Queue, DeliveryLog and Leases ports in one SQLite file of their own, written by a worker. */
import type { Worker } from 'node:worker_threads';
import type { DeliveryLog } from '../../src/ports/delivery-log.ts';
import { type Leases, LeasesUnavailable } from '../../src/ports/leases.ts';
import { parseQueueMark, type Queue, QueueUnavailable } from '../../src/ports/queue.ts';
import { CallThread } from './call-thread.ts';
import type { QueueCalls } from './queue-calls.ts';
import { spawnWorker } from './spawn-worker.ts';

export interface SqliteQueue {
  readonly queue: Queue;
  readonly deliveries: DeliveryLog;
  readonly leases: Leases;
  readonly close: () => Promise<void>;
}

export interface SqliteQueueOptions {
  /** Unix time in milliseconds, by which tasks fall due. */
  readonly now?: () => number;
  /** For tests that watch the worker. */
  readonly startWorker?: (path: string) => Worker;
  readonly answerTimeoutMs?: number;
}

export function startQueueWorker(path: string): Worker {
  return spawnWorker('./queue-worker', path);
}

/** The file is opened, and made where there is none, by the first call. */
export function openSqliteQueue(
  path: string,
  { now = Date.now, startWorker = startQueueWorker, answerTimeoutMs }: SqliteQueueOptions = {},
): SqliteQueue {
  const thread = new CallThread<QueueCalls>({
    file: 'queue',
    startWorker: () => startWorker(path),
    Unavailable: QueueUnavailable,
    answerTimeoutMs,
  });
  const listeners: (() => void)[] = [];
  const close = (): Promise<void> => thread.close();
  const queue: Queue = {
    async add(tasks) {
      if (tasks.length === 0) return;
      await thread.ask('add', tasks, now());
      for (const listener of listeners) listener();
    },
    claim: (name, limit, leaseMs) => thread.ask('claim', name, limit, leaseMs, now()),
    finish: (task) => thread.ask('finish', task, now()),
    postpone: (task, dueAtMs) => thread.ask('postpone', task, dueAtMs),
    repeat: (task, dueAtMs) => thread.ask('repeat', task, dueAtMs, now()),
    nextDueAtMs: (name) => thread.ask('nextDueAtMs', name),
    onAdded: (listener) => void listeners.push(listener),
    checkWritable: () => thread.ask('checkWritable'),
    mark: async () => parseQueueMark(await thread.ask('mark')),
    keepMark: (mark) => thread.ask('keepMark', JSON.stringify(mark)),
    close,
  };
  const deliveries: DeliveryLog = {
    begin: (fresh) => thread.ask('begin', fresh),
    record: (attempt) => thread.ask('record', attempt),
    get: (id) => thread.ask('get', id),
    list: (question) => thread.ask('list', question),
    count: (of) => thread.ask('count', of),
    prune: (before) => thread.ask('prune', before),
  };
  const leases: Leases = {
    take: (name, holder, ttlMs) => thread.ask('takeLease', name, holder, ttlMs).catch(noLeases),
    release: (name, holder) => thread.ask('releaseLease', name, holder).catch(noLeases),
  };
  return { queue, deliveries, leases, close };
}

function noLeases(error: Error): never {
  throw new LeasesUnavailable(error.message);
}
