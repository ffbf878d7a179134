/** One line for each change of an engine: that it cannot be used, with the reason and what to do, and that it can again. */
import type { Log } from './log.ts';
import { logFailure } from './failures.ts';

/** Where events, views, tasks or the keys of accounts are kept. */
export type EngineName = 'log' | 'views' | 'queue' | 'account-keys';

export type NoteEngine = (engine: EngineName | 'signing-secret' | 'bourse.db-head', failure: unknown) => void;

export function engineNotes(log: Pick<Log, 'debug' | 'info' | 'warn' | 'error'>): NoteEngine {
  const told = new Map<Parameters<NoteEngine>[0], string>();
  return (engine, failure) => {
    const before = told.get(engine);
    if (failure === null) {
      if (told.delete(engine)) log.info({ engine }, 'engine can be used again');
      return;
    }
    const why = failure instanceof Error ? failure.message : 'unknown';
    if (why === before) return;
    told.set(engine, why);
    logFailure(log, failure, { engine }, 'engine cannot be used');
  };
}
