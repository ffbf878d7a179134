/** Reads the files of a bundle from a folder. Links are refused: what is published is what lies in the folder. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ManifestFile } from '../../commands/bundle/manifest.ts';
import { bundlePath } from '../../events/bundle-events.ts';
import type { FieldError } from '../operations/refusals.ts';

const MAX_FILES = 2_000;
const MAX_DEPTH = 32;
/** One file may be so large; the bundle as a whole, ten times that. */
const MAX_FILE_BYTES = 100 * 1024 * 1024;

export type BundleFolder =
  | { readonly ok: true; readonly files: readonly ManifestFile[] }
  | { readonly ok: false; readonly faults: readonly FieldError[] };

/** The files with their sizes and hashes, in no particular order; every fault by its path in the folder. */
export async function readBundleFolder(folder: string): Promise<BundleFolder> {
  const walk: Walk = { folder, files: [], faults: [] };
  const root = await lstat(folder).catch(() => null);
  if (root?.isDirectory() !== true) {
    return { ok: false, faults: [{ path: '', message: 'there is no such folder' }] };
  }
  await walkInto(walk, '', 0);
  if (walk.files.length === 0 && walk.faults.length === 0) {
    walk.faults.push({ path: '', message: 'the folder is empty' });
  }
  return walk.faults.length > 0 ? { ok: false, faults: walk.faults } : { ok: true, files: walk.files };
}

interface Walk {
  readonly folder: string;
  readonly files: ManifestFile[];
  readonly faults: FieldError[];
}

async function walkInto(walk: Walk, prefix: string, depth: number): Promise<void> {
  if (depth > MAX_DEPTH) {
    walk.faults.push({ path: prefix, message: `folders go deeper than ${MAX_DEPTH}` });
    return;
  }
  const entries = await readdir(join(walk.folder, prefix), { withFileTypes: true });
  for (const entry of entries) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) await walkInto(walk, `${path}/`, depth + 1);
    else if (entry.isFile()) await addFile(walk, path);
    else walk.faults.push({ path, message: 'is a link or no plain file' });
    if (walk.files.length > MAX_FILES) {
      walk.faults.push({ path: '', message: `the folder has more than ${MAX_FILES} files` });
      return;
    }
  }
}

async function addFile(walk: Walk, path: string): Promise<void> {
  const parsed = bundlePath.safeParse(path);
  if (!parsed.success) {
    walk.faults.push({ path, message: parsed.error.issues[0]?.message ?? 'is not a path for a bundle' });
    return;
  }
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(join(walk.folder, path))) {
    // A stream without an encoding gives buffers.
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > MAX_FILE_BYTES) break;
    hash.update(bytes);
  }
  if (size > MAX_FILE_BYTES) walk.faults.push({ path, message: `is larger than ${MAX_FILE_BYTES} bytes` });
  else walk.files.push({ path, size, sha256: hash.digest('hex') });
}
