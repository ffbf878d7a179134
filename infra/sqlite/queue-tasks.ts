/** What is done with the tasks of queue.db; each call runs inside a transaction of its caller. */
import type { Database } from 'better-sqlite3';
import {
  type ClaimedTask,
  type NewTask,
  REMEMBERED_MS,
  type Task,
  type TaskCounts,
} from '../../src/ports/queue.ts';

export interface TaskTable {
  add(tasks: readonly NewTask[], nowMs: number): number;
  claim(name: string, limit: number, leaseMs: number, nowMs: number): readonly Task[];
  finish(task: ClaimedTask, nowMs: number): void;
  postpone(task: ClaimedTask, dueAtMs: number, repeat: { readonly nowMs: number } | null): void;
  nextDueAtMs(name: string): number | null;
  counts(nowMs: number): TaskCounts;
}

interface TaskRow {
  readonly id: string;
  readonly name: string;
  readonly payload: string;
  readonly due_at: number;
  readonly added_at: number;
  readonly attempt: number;
}

/** Forgetting goes in small steps, so that no commit pays for a week at once. */
const FORGET_AT_ONCE = 200;

export function taskTable(db: Database): TaskTable {
  const insert = db.prepare<[string, string, string, number, number]>(
    'INSERT INTO tasks (id, name, payload, due_at, added_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const forget = db.prepare<[number, number]>(
    'DELETE FROM tasks WHERE id IN (SELECT id FROM tasks WHERE finished_at < ? LIMIT ?)',
  );
  const due = db.prepare<[string, number, number], TaskRow>(
    `SELECT id, name, payload, due_at, added_at, attempt FROM tasks
     WHERE name = ? AND finished_at IS NULL AND due_at <= ? ORDER BY due_at LIMIT ?`,
  );
  const nextClaims = db.prepare<[number], number>('UPDATE claims SET last = last + ? RETURNING last').pluck();
  const take = db.prepare<[number, number, string]>(
    'UPDATE tasks SET attempt = attempt + 1, claim = ?, due_at = ? WHERE id = ?',
  );
  // The payload of what is done is not needed any more, only the id.
  const finish = db.prepare<[number, string, number]>(
    `UPDATE tasks SET finished_at = ?, payload = '' WHERE id = ? AND claim = ? AND finished_at IS NULL`,
  );
  const postpone = db.prepare<[number, string, number]>(
    'UPDATE tasks SET due_at = ?, claim = 0 WHERE id = ? AND claim = ? AND finished_at IS NULL',
  );
  const repeatFrom = db.prepare<[number, string]>('UPDATE tasks SET attempt = 0, added_at = ? WHERE id = ?');
  const next = db
    .prepare<[string], number | null>('SELECT MIN(due_at) FROM tasks WHERE name = ? AND finished_at IS NULL')
    .pluck();
  const count = db.prepare<[number], TaskCounts>(
    `SELECT COUNT(*) AS waiting, COALESCE(SUM(due_at <= ?), 0) AS due FROM tasks WHERE finished_at IS NULL`,
  );

  return {
    add(tasks, nowMs) {
      forget.run(nowMs - REMEMBERED_MS, FORGET_AT_ONCE);
      let added = 0;
      for (const { id, name, payload, dueAtMs } of tasks)
        added += insert.run(id, name, payload, dueAtMs, nowMs).changes;
      return added;
    },
    claim(name, limit, leaseMs, nowMs) {
      const rows = due.all(name, nowMs, limit);
      if (rows.length === 0) return [];
      let claim = (nextClaims.get(rows.length) ?? 0) - rows.length;
      return rows.map(({ id, payload, due_at, added_at, attempt }) => {
        claim += 1;
        take.run(claim, nowMs + leaseMs, id);
        return { id, name, payload, dueAtMs: due_at, addedAtMs: added_at, attempt: attempt + 1, claim };
      });
    },
    finish({ id, claim }, nowMs) {
      finish.run(nowMs, id, claim);
    },
    postpone({ id, claim }, dueAtMs, repeat) {
      const { changes } = postpone.run(dueAtMs, id, claim);
      if (changes > 0 && repeat !== null) repeatFrom.run(repeat.nowMs, id);
    },
    nextDueAtMs: (name) => next.get(name) ?? null,
    counts: (nowMs) => count.get(nowMs) ?? { waiting: 0, due: 0 },
  };
}
