/**
 * The Blobs port in a folder. Bytes go to a draft beside, are checked while they come, synced, and linked to their
 * name: a blob is there whole or not at all, also after a crash. Drafts of a process that died are swept at the start.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type Blobs,
  BlobsUnavailable,
  HEAD_BYTES,
  type PutLimits,
  type PutResult,
} from '../../src/ports/blobs.ts';

const DRAFTS = 'drafts';
/** No upload takes so long: what is older belongs to nobody. */
const DRAFT_MAX_AGE_MS = 60 * 60 * 1_000;
const KEY = /^[a-z0-9_]{8,80}$/;

export function createFolderBlobs(folder: string): Blobs {
  const drafts = join(folder, DRAFTS);
  let swept: Promise<void> | undefined;
  /** Each time anew after a failure, and where the folder is gone. */
  const prepare = async (): Promise<void> => {
    swept ??= sweep(drafts);
    await swept.catch((error: unknown) => {
      swept = undefined;
      throw error;
    });
    await mkdir(drafts, { recursive: true });
  };

  return {
    async put(key, bytes, limits) {
      const path = pathOf(folder, key);
      await usable(folder, prepare());
      const draft = join(drafts, randomUUID());
      try {
        const result = await writeDraft(folder, draft, bytes, limits);
        if (result.kind === 'stored') await usable(folder, publish(draft, path));
        return result;
      } finally {
        await rm(draft, { force: true }).catch(() => {});
      }
    },
    async open(key, first, last) {
      const handle = await usable(folder, open(pathOf(folder, key)).catch(onlyIfAbsent));
      if (handle === null) return null;
      return createReadStream('', { fd: handle, start: first, end: last });
    },
    async remove(key) {
      await usable(folder, rm(pathOf(folder, key), { force: true }));
    },
  };
}

/** Spread over folders by the end of the key, which is random: ids begin with the time. */
function pathOf(folder: string, key: string): string {
  if (!KEY.test(key)) throw new RangeError('a blob has a key of lower-case letters, digits and _');
  return join(folder, key.slice(-2), key);
}

/** What the file system refuses may pass: no room, no right, a disk that is not there. */
async function usable<Result>(folder: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause) || cause.code === 'EEXIST') throw cause;
    throw new BlobsUnavailable(`the folder ${folder} cannot be used (${cause.message})`, { cause });
  }
}

async function writeDraft(
  folder: string,
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  { maxBytes, sha256: announced }: PutLimits,
): Promise<PutResult> {
  const file = await usable(folder, open(path, 'wx', 0o600));
  try {
    const hash = createHash('sha256');
    const head: Uint8Array[] = [];
    let headBytes = 0;
    let sizeBytes = 0;
    for await (const chunk of bytes) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) return { kind: 'too_large' };
      if (headBytes < HEAD_BYTES) head.push(chunk.subarray(0, HEAD_BYTES - headBytes));
      headBytes = Math.min(HEAD_BYTES, sizeBytes);
      hash.update(chunk);
      await usable(folder, writeAll(file, chunk));
    }
    const sha256 = hash.digest('hex');
    if (announced !== null && announced !== sha256) return { kind: 'other_bytes', sha256 };
    await usable(folder, file.datasync());
    return { kind: 'stored', blob: { sizeBytes, sha256, head: Buffer.concat(head) } };
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.length;) {
    const { bytesWritten } = await file.write(chunk, written);
    written += bytesWritten;
  }
}

/** A link never replaces what is there; the folder is synced, so that the name outlives a power cut. */
async function publish(draft: string, path: string): Promise<void> {
  const parent = dirname(path);
  await mkdir(parent, { recursive: true });
  await link(draft, path);
  const handle = await open(parent);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function sweep(drafts: string): Promise<void> {
  await mkdir(drafts, { recursive: true });
  const oldest = Date.now() - DRAFT_MAX_AGE_MS;
  for (const name of await readdir(drafts)) {
    const path = join(drafts, name);
    const found = await stat(path).catch(onlyIfAbsent);
    if (found !== null && found.mtimeMs < oldest) await rm(path, { force: true });
  }
}

function onlyIfAbsent(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
