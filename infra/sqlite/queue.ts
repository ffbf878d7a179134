/** The Queue, DeliveryLog and Leases ports in one SQLite file of their own, written by a worker. */
import type { DeliveryLog } from '../../src/ports/delivery-log.ts';
import type { Leases } from '../../src/ports/leases.ts';
import type { Queue } from '../../src/ports/queue.ts';
import { sqliteLeases } from './leases.ts';
import { QueueThread } from './queue-thread.ts';

export interface SqliteQueue {
  readonly queue: Queue;
  readonly deliveries: DeliveryLog;
  readonly leases: Leases;
  readonly close: () => Promise<void>;
}

/** The file is opened, and made where there is none, by the first call. */
export function openSqliteQueue(path: string): SqliteQueue {
  const thread = new QueueThread(path);
  const listeners: (() => void)[] = [];
  const close = (): Promise<void> => thread.close();
  const queue: Queue = {
    async add(tasks, nowMs) {
      if (tasks.length === 0) return 0;
      const added = await thread.ask('add', tasks, nowMs);
      if (added > 0) for (const listener of listeners) listener();
      return added;
    },
    claim: (name, limit, leaseMs, nowMs) => thread.ask('claim', name, limit, leaseMs, nowMs),
    finish: (task, nowMs) => thread.ask('finish', task, nowMs),
    postpone: (task, dueAtMs, repeat) => thread.ask('postpone', task, dueAtMs, repeat),
    nextDueAtMs: (name) => thread.ask('nextDueAtMs', name),
    counts: (nowMs) => thread.ask('counts', nowMs),
    onAdded: (listener) => void listeners.push(listener),
    close,
  };
  const deliveries: DeliveryLog = {
    begin: (fresh) => thread.ask('begin', fresh),
    record: (attempt) => thread.ask('record', attempt),
    get: (id) => thread.ask('get', id),
    list: (question) => thread.ask('list', question),
    prune: (before) => thread.ask('prune', before),
  };
  return { queue, deliveries, leases: sqliteLeases(thread), close };
}
