/** Checkpoints kept beside the log, written through its one writer, so that they join its groups and its syncs. */
import type { Database } from 'better-sqlite3';
import type { Checkpoints } from '../../events/checkpoints.ts';
import { reached } from './log-reader.ts';
import type { LogWriter } from './log-writer.ts';

/** @throws {StoreDamaged} there is no such table */
export function logCheckpoints(db: Database, writer: Pick<LogWriter, 'write'>): Checkpoints {
  const kept = reached(db, 'the checkpoints', () =>
    db.prepare<[string], string>('SELECT position FROM checkpoints WHERE name = ?').pluck(),
  );
  return {
    async get(name) {
      return reached(db, `the checkpoint ${name}`, () => kept.get(name)) ?? null;
    },

    async set(name, position) {
      const outcome = await writer.write(['checkpoint', name, position], name.length);
      if (outcome[0] === 'kept') return;
      const why = outcome[0] === 'broken' ? outcome[1] : outcome[0];
      throw new Error(`the log did not keep the checkpoint ${name}: ${why}`);
    },
  };
}
