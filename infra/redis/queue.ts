/** The Queue port by bullmq: each kind of task is a queue of its own there (queue-kind.ts). */
import { type NewTask, parseQueueMark, type Queue, QueueUnavailable } from '../../src/ports/queue.ts';
import type { RedisLink } from './link.ts';
import { QueueKind } from './queue-kind.ts';

const PROBE_KEPT_MS = 60_000;

export function redisQueue(link: RedisLink, prefix: string): Queue {
  const kinds = new Map<string, QueueKind>();
  const listeners: (() => void)[] = [];

  function kindOf(name: string): QueueKind {
    const kind = kinds.get(name) ?? new QueueKind(link.client, `${prefix}queue`, name);
    kinds.set(name, kind);
    return kind;
  }
  const ask = <Answer>(name: string, call: (kind: QueueKind) => Promise<Answer>): Promise<Answer> =>
    link.ask(QueueUnavailable, () => call(kindOf(name)));

  return {
    async add(tasks) {
      if (tasks.length === 0) return;
      await Promise.all([...byName(tasks)].map(([name, some]) => ask(name, (kind) => kind.add(some))));
      for (const listener of listeners) listener();
    },
    claim: (name, limit, leaseMs) => ask(name, (kind) => kind.claim(limit, leaseMs)),
    finish: (task) => ask(task.name, (kind) => kind.finish(task)),
    postpone: (task, dueAtMs) => ask(task.name, (kind) => kind.postpone(task, dueAtMs)),
    repeat: (task, dueAtMs) => ask(task.name, (kind) => kind.repeat(task, dueAtMs)),
    nextDueAtMs: (name) => ask(name, (kind) => kind.nextDueAtMs()),
    onAdded: (listener) => void listeners.push(listener),
    async checkWritable() {
      // Refused like a task where memory is full, the disk fails or the server is a replica.
      await link.ask(QueueUnavailable, (client) => client.set(`${prefix}probe`, '1', 'PX', PROBE_KEPT_MS));
    },
    async mark() {
      return parseQueueMark(await link.ask(QueueUnavailable, (client) => client.get(`${prefix}log-mark`)));
    },
    async keepMark(mark) {
      await link.ask(QueueUnavailable, (client) => client.set(`${prefix}log-mark`, JSON.stringify(mark)));
    },
    async close() {
      await Promise.all([...kinds.values()].map((kind) => kind.close()));
    },
  };
}

function byName(tasks: readonly NewTask[]): Map<string, NewTask[]> {
  const groups = new Map<string, NewTask[]>();
  for (const task of tasks) {
    const group = groups.get(task.name);
    if (group === undefined) groups.set(task.name, [task]);
    else group.push(task);
  }
  return groups;
}
