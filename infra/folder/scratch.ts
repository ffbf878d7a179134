/**
 * The Scratch port in a folder. A file loses its name as soon as it is open: it is read and written by its handle, and
 * the file system frees it when that is closed, also where the process is killed. One that is killed before the name is
 * gone leaves an empty file, which whoever makes the next one removes.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Scratch, type ScratchFile, ScratchUnavailable } from '../../src/ports/scratch.ts';

const PIECE_BYTES = 64 * 1_024;
/** Whatever else is in the folder is not ours. */
const PREFIX = 'bourse-scratch-';

export function createFolderScratch(folder: string): Scratch {
  return { create: async () => scratchFile(await usable(folder, openNameless(folder)), folder) };
}

async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = await open(join(folder, PREFIX + randomUUID()), 'wx+', 0o600);
  await removeNames(folder);
  return file;
}

/** Also of a file that another process has just opened, which was about to do so itself. */
async function removeNames(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(PREFIX)) await rm(join(folder, name), { force: true });
  }
}

function scratchFile(file: FileHandle, folder: string): ScratchFile {
  let readers = 0;
  let isClosed = false;
  const closeOnceUnread = async (): Promise<void> => {
    if (isClosed && readers === 0) await file.close();
  };

  return {
    append: (bytes) => usable(folder, file.appendFile(bytes)),
    async *read(first, last) {
      readers += 1;
      try {
        for (let at = first; at <= last;) {
          const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, last + 1 - at));
          const { bytesRead } = await file.read(piece, 0, piece.length, at);
          if (bytesRead === 0) throw new Error(`a file ends before its byte ${last}`);
          yield piece.subarray(0, bytesRead);
          at += bytesRead;
        }
      } finally {
        readers -= 1;
        await closeOnceUnread();
      }
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await closeOnceUnread();
    },
  };
}

async function usable<Result>(folder: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause;
    throw new ScratchUnavailable(`the folder ${folder} cannot be used (${cause.message})`, { cause });
  }
}
