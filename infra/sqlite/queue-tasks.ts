/** What is done with the tasks of queue.db (queue-calls.ts). */
import type { Database } from 'better-sqlite3';
import { type ClaimedTask, type NewTask, REMEMBERED_MS, type Task } from '../../src/ports/queue.ts';

/** Times are Unix time in milliseconds. */
export type TaskCalls = {
  readonly add: (tasks: readonly NewTask[], nowMs: number) => void;
  readonly claim: (name: string, limit: number, leaseMs: number, nowMs: number) => readonly Task[];
  readonly finish: (task: ClaimedTask, nowMs: number) => void;
  readonly postpone: (task: ClaimedTask, dueAtMs: number) => void;
  readonly repeat: (task: ClaimedTask, dueAtMs: number, nowMs: number) => void;
  readonly nextDueAtMs: (name: string) => number | null;
};

interface TaskRow {
  readonly id: string;
  readonly payload: string;
  readonly added_at: number;
  readonly attempt: number;
}

/** Forgetting goes in small steps, so that no commit pays for a week at once. */
const FORGET_AT_ONCE = 200;

export function taskCalls(db: Database): TaskCalls {
  const insert = db.prepare<[string, string, string, number, number]>(
    'INSERT INTO tasks (id, name, payload, due_at, added_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const forget = db.prepare<[number, number]>(
    'DELETE FROM tasks WHERE id IN (SELECT id FROM tasks WHERE finished_at < ? LIMIT ?)',
  );
  const due = db.prepare<[string, number, number], TaskRow>(
    `SELECT id, payload, added_at, attempt FROM tasks
     WHERE name = ? AND finished_at IS NULL AND due_at <= ? ORDER BY due_at, rowid LIMIT ?`,
  );
  const nextClaims = db.prepare<[number], number>('UPDATE claims SET last = last + ? RETURNING last').pluck();
  const take = db.prepare<[number, number, string]>(
    'UPDATE tasks SET attempt = attempt + 1, claim = ?, due_at = ? WHERE id = ?',
  );
  // The payload of what is done is not needed any more, only the id.
  const finish = db.prepare<[number, string, string]>(
    `UPDATE tasks SET finished_at = ?, payload = '' WHERE id = ? AND claim = ? AND finished_at IS NULL`,
  );
  const postpone = db.prepare<[number, string, string]>(
    'UPDATE tasks SET due_at = ?, claim = 0 WHERE id = ? AND claim = ? AND finished_at IS NULL',
  );
  const repeat = db.prepare<[number, number, string, string]>(
    `UPDATE tasks SET due_at = ?, claim = 0, attempt = 0, added_at = ?
     WHERE id = ? AND claim = ? AND finished_at IS NULL`,
  );
  const next = db
    .prepare<[string], number | null>('SELECT MIN(due_at) FROM tasks WHERE name = ? AND finished_at IS NULL')
    .pluck();
  return {
    add(tasks, nowMs) {
      forget.run(nowMs - REMEMBERED_MS, FORGET_AT_ONCE);
      for (const { id, name, payload, dueAtMs } of tasks)
        insert.run(id, name, payload, Math.max(dueAtMs, nowMs), nowMs);
    },
    claim(name, limit, leaseMs, nowMs) {
      const rows = due.all(name, nowMs, limit);
      if (rows.length === 0) return [];
      let claim = (nextClaims.get(rows.length) ?? 0) - rows.length;
      return rows.map(({ id, payload, added_at, attempt }) => {
        claim += 1;
        take.run(claim, nowMs + leaseMs, id);
        return { id, name, payload, addedAtMs: added_at, attempt: attempt + 1, claim: `${claim}` };
      });
    },
    finish: ({ id, claim }, nowMs) => void finish.run(nowMs, id, claim),
    postpone: ({ id, claim }, dueAtMs) => void postpone.run(dueAtMs, id, claim),
    repeat: ({ id, claim }, dueAtMs, nowMs) => void repeat.run(dueAtMs, nowMs, id, claim),
    nextDueAtMs: (name) => next.get(name) ?? null,
  };
}
