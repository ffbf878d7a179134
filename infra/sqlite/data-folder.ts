/** The folder that the embedded engines keep their files in. */
import { mkdir } from 'node:fs/promises';
import { StoreUnavailable } from '../../events/event-store.ts';

/** Makes the folder where there is none. @throws {StoreUnavailable} it cannot be made; the message says why */
export async function makeDataFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StoreUnavailable(`the data folder ${path} cannot be made (${why}): set DATA_DIR to another`);
  }
}
