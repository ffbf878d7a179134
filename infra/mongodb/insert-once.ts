/** Inserts of what may be there already: the one thing that no engine does twice. */
import { MongoBulkWriteError } from 'mongodb';

const DUPLICATE_KEY = 11_000;

/** False when its key is there already. */
export async function insertOnce(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/**
 * An unordered write of several.
 * @returns the places of those inserts whose keys were there already
 */
export async function takenPlaces(write: () => Promise<unknown>): Promise<ReadonlySet<number>> {
  try {
    await write();
    return new Set();
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const { result } = error;
    const refused = result.getWriteErrors();
    if (result.getWriteConcernError() !== undefined || !refused.every(isDuplicate)) throw error;
    return new Set(refused.map(({ index }) => index));
  }
}

function isDuplicate(error: unknown): boolean {
  return error instanceof Object && 'code' in error && error.code === DUPLICATE_KEY;
}
