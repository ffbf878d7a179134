/** Whether the disk of a file has room for the next append. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MAX_APPEND_BYTES, StoreUnavailable } from '../../events/event-store.ts';

/** The largest append, with as much again for the indexes: a smaller one that still fits says little. */
const WANTED_BYTES = 2 * MAX_APPEND_BYTES;

/** @throws {StoreUnavailable} there is less; the message says what to do */
export async function assertRoom(path: string): Promise<void> {
  const folder = dirname(path);
  // Where it cannot be asked, as of a folder that was moved away, the write itself tells.
  const disk = await statfs(folder).catch(() => null);
  if (disk === null || disk.blocks === 0 || disk.bavail * disk.bsize >= WANTED_BYTES) return;
  const kib = Math.floor((disk.bavail * disk.bsize) / 1024);
  throw new StoreUnavailable(`the disk of ${folder} has ${kib} KiB left: make room`);
}
