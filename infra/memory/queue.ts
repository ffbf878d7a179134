/** The Queue port in this process's memory: for tests, and as the model that the durable adapters are held to. */
import { type NewTask, type Queue, REMEMBERED_MS, type Task } from '../../src/ports/queue.ts';

interface Entry extends NewTask {
  dueAtMs: number;
  attempt: number;
  addedAtMs: number;
  claim: number;
  finishedAtMs: number | null;
}

export function createMemoryQueue(): Queue {
  const entries = new Map<string, Entry>();
  const listeners: (() => void)[] = [];
  let claims = 0;

  const waiting = (): Entry[] => [...entries.values()].filter((entry) => entry.finishedAtMs === null);
  const held = ({ id, claim }: { id: string; claim: number }): Entry | undefined => {
    const entry = entries.get(id);
    return entry?.claim === claim && entry.finishedAtMs === null ? entry : undefined;
  };

  return {
    async add(tasks, nowMs) {
      for (const [id, { finishedAtMs }] of entries)
        if (finishedAtMs !== null && finishedAtMs < nowMs - REMEMBERED_MS) entries.delete(id);
      const fresh = tasks.filter(
        ({ id }, i) => !entries.has(id) && tasks.findIndex((one) => one.id === id) === i,
      );
      for (const task of fresh)
        entries.set(task.id, { ...task, attempt: 0, addedAtMs: nowMs, claim: 0, finishedAtMs: null });
      if (fresh.length > 0) for (const listener of listeners) listener();
      return fresh.length;
    },
    async claim(name, limit, leaseMs, nowMs) {
      const due = waiting()
        .filter((entry) => entry.name === name && entry.dueAtMs <= nowMs)
        .sort((a, b) => a.dueAtMs - b.dueAtMs)
        .slice(0, limit);
      return due.map((entry): Task => {
        claims += 1;
        const task = { ...taskOf(entry), attempt: entry.attempt + 1, claim: claims };
        Object.assign(entry, { attempt: task.attempt, claim: claims, dueAtMs: nowMs + leaseMs });
        return task;
      });
    },
    async finish(task, nowMs) {
      const entry = held(task);
      if (entry !== undefined) entry.finishedAtMs = nowMs;
    },
    async postpone(task, dueAtMs, repeat) {
      const entry = held(task);
      if (entry === undefined) return;
      Object.assign(entry, { dueAtMs, claim: 0 });
      if (repeat !== null) Object.assign(entry, { attempt: 0, addedAtMs: repeat.nowMs });
    },
    async nextDueAtMs(name) {
      const times = waiting()
        .filter((entry) => entry.name === name)
        .map(({ dueAtMs }) => dueAtMs);
      return times.length === 0 ? null : Math.min(...times);
    },
    async counts(nowMs) {
      const all = waiting();
      return { waiting: all.length, due: all.filter(({ dueAtMs }) => dueAtMs <= nowMs).length };
    },
    onAdded: (listener) => void listeners.push(listener),
    async close() {},
  };
}

function taskOf({ id, name, payload, dueAtMs, attempt, addedAtMs, claim }: Entry): Task {
  return { id, name, payload, dueAtMs, attempt, addedAtMs, claim };
}
