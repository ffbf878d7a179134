/** Everything that can be asked of queue.db, by name; each call runs inside a transaction of its caller. */
import type { Database } from 'better-sqlite3';
import { type DeliveryCalls, deliveryCalls } from './queue-deliveries.ts';
import { type TaskCalls, taskCalls } from './queue-tasks.ts';
import { touch } from './touch.ts';

/** `get`, `list` and `count` are of deliveries. */
export type QueueCalls = TaskCalls &
  DeliveryCalls &
  LeaseCalls &
  MarkCalls & { readonly checkWritable: () => void };

export function queueCalls(db: Database): QueueCalls {
  return {
    ...taskCalls(db),
    ...deliveryCalls(db),
    ...leaseCalls(db),
    ...markCalls(db),
    checkWritable: () => touch(db),
  };
}

type LeaseCalls = {
  readonly takeLease: (name: string, holder: string, ttlMs: number) => boolean;
  readonly releaseLease: (name: string, holder: string) => void;
};

/**
 * All processes of the file are on one machine and share its clock. A clock that is set may let a second holder in before
 * the first has noticed, which he does when he takes the lease anew.
 */
function leaseCalls(db: Database): LeaseCalls {
  // A lease that ends later than a new one would was taken before the clock was set back.
  const take = db.prepare<{ name: string; holder: string; nowMs: number; ttlMs: number }>(
    `INSERT INTO leases VALUES (@name, @holder, @nowMs + @ttlMs)
     ON CONFLICT DO UPDATE SET holder = excluded.holder, ends_at = excluded.ends_at
     WHERE holder = excluded.holder OR ends_at <= @nowMs OR ends_at > excluded.ends_at`,
  );
  const release = db.prepare<[string, string]>('DELETE FROM leases WHERE name = ? AND holder = ?');
  return {
    takeLease: (name, holder, ttlMs) => take.run({ name, holder, ttlMs, nowMs: Date.now() }).changes > 0,
    releaseLease: (name, holder) => void release.run(name, holder),
  };
}

/** What the file knows of the log that its tasks come from, as JSON. */
type MarkCalls = {
  readonly mark: () => string | null;
  readonly keepMark: (mark: string) => void;
};

function markCalls(db: Database): MarkCalls {
  const kept = db.prepare<[], string>('SELECT mark FROM log_mark').pluck();
  const keep = db.prepare<[string]>(
    'INSERT INTO log_mark VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET mark = excluded.mark',
  );
  return { mark: () => kept.get() ?? null, keepMark: (mark) => void keep.run(mark) };
}
