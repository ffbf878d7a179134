/**
 * Keeps other users of the machine out of the data folder: 0700 for it, 0600 for the files in it. What is made from now
 * on is so by the umask of the process (src/settings/owner-only.ts); this sees to what was there before.
 */
import type { Stats } from 'node:fs';
import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS = 0o077;
/** What the embedded engines and the signing secret are kept in, with what SQLite puts beside them. */
const OURS =
  /^(?:(?:bourse|views|queue|people|meter)\.db(?:-wal|-shm|-journal|-head)?|signing-secret(?:\.\d+)?|artifacts)$/;

/**
 * A folder that holds anything else is somebody's home or worse, and is left as it is.
 * @returns what others can still reach, each a line that says what to do
 */
export async function tightenDataFolder(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(noneIfAbsent);
  const ours = names.filter((name) => OURS.test(name));
  const loose = ours.length === names.length ? await tighten(folder) : await looseness(folder);
  // Nobody else comes to what is in a folder that is closed, but it may be copied elsewhere with its modes.
  const inside = await Promise.all(ours.map((name) => tighten(join(folder, name))));
  return loose === null ? [] : [loose, ...inside.filter((line) => line !== null)];
}

/** Where every engine is a server there is no folder. */
function noneIfAbsent(error: unknown): readonly string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
  throw error;
}

async function tighten(path: string): Promise<string | null> {
  const found = await statusOf(path);
  if (found === null || !isLoose(found)) return null;
  try {
    await chmod(path, found.isDirectory() ? FOLDER_MODE : FILE_MODE);
    return null;
  } catch {
    // It is another user's.
    return lineOn(path, found);
  }
}

async function looseness(path: string): Promise<string | null> {
  const found = await statusOf(path);
  return found !== null && isLoose(found) ? lineOn(path, found) : null;
}

/** Null where it is gone by now, as SQLite's files beside a database go when it is closed. */
async function statusOf(path: string): Promise<Stats | null> {
  return lstat(path).catch(() => null);
}

/** A link has no rights of its own, and what it leads to is not here. */
function isLoose(found: Stats): boolean {
  return !found.isSymbolicLink() && (found.mode & OTHERS) !== 0;
}

function lineOn(path: string, found: Stats): string {
  const mode = (found.mode & 0o7777).toString(8).padStart(4, '0');
  return `${path} is open to other users of this machine (mode ${mode}): chmod ${found.isDirectory() ? '700' : '600'} it, or set DATA_DIR to a folder of its own`;
}
