/** The Queue port in this process's memory. */
import {
  type ClaimedTask,
  type NewTask,
  type Queue,
  type QueueMark,
  REMEMBERED_MS,
  type Task,
} from '../../../src/ports/queue.ts';

interface Entry extends NewTask {
  dueAtMs: number;
  attempt: number;
  addedAtMs: number;
  /** Null where nobody holds it. */
  claim: string | null;
  finishedAtMs: number | null;
}

/** `now` is Unix time in milliseconds. */
export function createMemoryQueue(now: () => number = Date.now): Queue {
  const entries = new Map<string, Entry>();
  const listeners: (() => void)[] = [];
  let claims = 0;
  let kept: QueueMark | null = null;

  const waiting = (name: string): Entry[] =>
    [...entries.values()].filter((entry) => entry.name === name && entry.finishedAtMs === null);
  const change = ({ id, claim }: ClaimedTask, changes: Partial<Entry>): void => {
    const entry = entries.get(id);
    if (entry?.claim === claim) Object.assign(entry, { claim: null, ...changes });
  };

  return {
    async add(tasks) {
      const nowMs = now();
      for (const [id, { finishedAtMs }] of entries)
        if (finishedAtMs !== null && finishedAtMs < nowMs - REMEMBERED_MS) entries.delete(id);
      const unclaimed = { attempt: 0, addedAtMs: nowMs, claim: null, finishedAtMs: null };
      for (const task of tasks) {
        const dueAtMs = Math.max(task.dueAtMs, nowMs);
        if (!entries.has(task.id)) entries.set(task.id, { ...task, ...unclaimed, dueAtMs });
      }
      for (const listener of listeners) listener();
    },
    async claim(name, limit, leaseMs) {
      const nowMs = now();
      const due = waiting(name)
        .filter(({ dueAtMs }) => dueAtMs <= nowMs)
        .sort((a, b) => a.dueAtMs - b.dueAtMs)
        .slice(0, limit);
      return due.map((entry): Task => {
        claims += 1;
        const claim = `${claims}`;
        Object.assign(entry, { attempt: entry.attempt + 1, claim, dueAtMs: nowMs + leaseMs });
        const { id, payload, attempt, addedAtMs } = entry;
        return { id, name, payload, attempt, addedAtMs, claim };
      });
    },
    finish: async (task) => change(task, { finishedAtMs: now() }),
    postpone: async (task, dueAtMs) => change(task, { dueAtMs }),
    repeat: async (task, dueAtMs) => change(task, { dueAtMs, attempt: 0, addedAtMs: now() }),
    async nextDueAtMs(name) {
      const times = waiting(name).map(({ dueAtMs }) => dueAtMs);
      return times.length === 0 ? null : Math.min(...times);
    },
    onAdded: (listener) => void listeners.push(listener),
    mark: async () => kept,
    keepMark: async (mark) => {
      kept = mark;
    },
    async close() {},
  };
}
