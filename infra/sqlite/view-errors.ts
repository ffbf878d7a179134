/** SQLite's refusals in the words of the port. */
import { setTimeout as delay } from 'node:timers/promises';
import { ViewsUnavailable } from '../../projections/view-store.ts';
import { isSqliteError } from './sqlite-error.ts';
import { isDamage, whyOf } from './why.ts';

const TRIES = 100;
const LONGEST_PAUSE_MS = 50;

const UNAVAILABLE = [
  'BUSY',
  'LOCKED',
  'IOERR',
  'FULL',
  'CANTOPEN',
  'READONLY',
  'NOMEM',
  'PROTOCOL',
  // What this program writes breaks no rule of its own tables.
  'CONSTRAINT',
];

/** @throws {ViewsUnavailable} the file cannot be read or written now */
export function answering<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const isAway = UNAVAILABLE.some((code) => isSqliteError(error, `SQLITE_${code}`));
    if (isAway || isDamage(error) || isClosed(error)) {
      throw new ViewsUnavailable(`the views cannot be read or written: ${whyOf(error)}`, { cause: error });
    }
    throw error;
  }
}

/** The text of a document. @throws {ViewsUnavailable} its row holds something else: it is damaged */
export function storedText(cell: unknown): string {
  if (typeof cell === 'string') return cell;
  throw new ViewsUnavailable('a document of the views is damaged, its row holds no text: build them anew');
}

/** The same, waiting a few seconds for another process that is writing, without stopping the event loop. */
export async function patiently<T>(work: () => T): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return answering(work);
    } catch (error) {
      const isBusy = error instanceof ViewsUnavailable && isSqliteError(error.cause, 'SQLITE_BUSY');
      if (!isBusy || tries === TRIES) throw error;
      await delay(1 + Math.random() * Math.min(LONGEST_PAUSE_MS, tries * 2));
    }
  }
}

/** Whether a table or index is missing, as when another process has swapped the generation it belonged to. */
export function isSchemaError(error: unknown): boolean {
  return isSqliteError(error) && error.code === 'SQLITE_ERROR' && /no such (table|index)/.test(error.message);
}

function isClosed(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'The database connection is not open';
}
