/** The folder that the embedded engines keep their files in. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreUnavailable } from '../../events/event-store.ts';

/** Makes the folder where there is none. @throws {StoreUnavailable} it cannot be made; the message says why */
export async function makeDataFolder(path: string): Promise<void> {
  try {
    await makeFolder(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StoreUnavailable(`the data folder ${path} cannot be made (${why}): set DATA_DIR to another`);
  }
}

/** Not `recursive`: on file systems that take no folders, such as /proc, Node 20 then tries for ever. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return;
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path);
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

export function logFileIn(dataDir: string): string {
  return join(dataDir, 'bourse.db');
}

export function viewsFileIn(dataDir: string): string {
  return join(dataDir, 'views.db');
}

export function queueFileIn(dataDir: string): string {
  return join(dataDir, 'queue.db');
}

export function meterFileIn(dataDir: string): string {
  return join(dataDir, 'meter.db');
}
