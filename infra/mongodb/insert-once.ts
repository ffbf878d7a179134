/** Inserts of what may be there already: the one thing that no engine does twice. */
import { type BulkWriteResult, MongoBulkWriteError } from 'mongodb';

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
 * An unordered insert of several.
 * @returns the places of those whose keys were there already
 */
export async function takenPlaces(insert: () => Promise<unknown>): Promise<ReadonlySet<number>> {
  try {
    await insert();
    return new Set();
  } catch (error) {
    return new Set(
      onlyDuplicates(error)
        .getWriteErrors()
        .map(({ index }) => index),
    );
  }
}

/** An unordered write of several, without those inserts whose keys were there already. */
export async function writeAll(write: () => Promise<BulkWriteResult>): Promise<BulkWriteResult> {
  try {
    return await write();
  } catch (error) {
    return onlyDuplicates(error);
  }
}

/** What was written all the same. @throws the error, if it says anything else */
function onlyDuplicates(error: unknown): BulkWriteResult {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const { result } = error;
  if (result.getWriteConcernError() !== undefined || !result.getWriteErrors().every(isDuplicate)) throw error;
  return result;
}

function isDuplicate(error: unknown): boolean {
  return error instanceof Object && 'code' in error && error.code === DUPLICATE_KEY;
}
