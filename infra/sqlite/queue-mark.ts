/** What queue.db knows of the log that its tasks come from; each call runs inside a transaction of its caller. */
import type { Database } from 'better-sqlite3';

/** Marks are JSON texts here. */
export interface MarkTable {
  mark(): string | null;
  keepMark(mark: string): void;
}

export function markTable(db: Database): MarkTable {
  const kept = db.prepare<[], string>('SELECT mark FROM log_mark').pluck();
  const keep = db.prepare<[string]>(
    'INSERT INTO log_mark VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET mark = excluded.mark',
  );
  return { mark: () => kept.get() ?? null, keepMark: (mark) => void keep.run(mark) };
}
