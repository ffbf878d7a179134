/** The Queue, DeliveryLog and Leases ports in one SQLite file of their own, written by a worker. */
import { parseLogMark } from '../../events/log-mark.ts';
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

/**
 * The file is opened, and made where there is none, by the first call.
 * @param now Unix time in milliseconds, by which tasks fall due
 */
export function openSqliteQueue(path: string, now: () => number = Date.now): SqliteQueue {
  const thread = new QueueThread(path);
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
    mark: async () => parseLogMark(await thread.ask('mark')),
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
  return { queue, deliveries, leases: sqliteLeases(thread), close };
}
