/**
 * Leases as queue.db keeps them. All its processes are on one machine and share its clock. A clock that is set may let a
 * second holder in before the first has noticed, which he does when he takes the lease anew.
 */
import type { Database } from 'better-sqlite3';

/** What is done with the leases of queue.db; each call runs inside a transaction of its caller. */
export interface LeaseTable {
  takeLease(name: string, holder: string, ttlMs: number): boolean;
  releaseLease(name: string, holder: string): void;
}

export function leaseTable(db: Database): LeaseTable {
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
