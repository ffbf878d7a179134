/**
 * Reads a publication that somebody else has written, beside the process: what a parser makes of a hostile text is not
 * known beforehand, so it has so much time and memory and no more.
 */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { failed, type ReadPublication, whole } from './read-publication.ts';

export interface ReadingBounds {
  readonly deadlineMs: number;
  readonly heapMib: number;
}

/** A file of the largest size that means something takes a second of it, on a slow machine. */
const USUAL: ReadingBounds = { deadlineMs: 30_000, heapMib: 512 };

export async function readInWorker(
  text: string,
  { deadlineMs, heapMib }: ReadingBounds = USUAL,
): Promise<ReadPublication> {
  const worker = startReading(text, heapMib);
  try {
    // An error of the worker rejects.
    const [read] = await once(worker, 'message', { signal: AbortSignal.timeout(deadlineMs) });
    // What the worker posts, and nothing else does.
    return read as ReadPublication;
  } catch (error) {
    if (hasCode(error, 'ABORT_ERR'))
      return failed([whole(`the file was not read within ${deadlineMs / 1_000} seconds`)]);
    if (hasCode(error, 'ERR_WORKER_OUT_OF_MEMORY'))
      return failed([whole(`reading the file takes more memory than ${heapMib} MiB`)]);
    throw error;
  } finally {
    await worker.terminate();
  }
}

/** As infra/sqlite/spawn-worker.ts does, whose folder this one may not know. */
function startReading(text: string, heapMib: number): Worker {
  const options = { workerData: text, resourceLimits: { maxOldGenerationSizeMb: heapMib } };
  if (import.meta.url.endsWith('.js'))
    return new Worker(new URL('./reading-worker.js', import.meta.url), options);
  const entry = JSON.stringify(fileURLToPath(new URL('./reading-worker.ts', import.meta.url)));
  const script = `require('node:module').createRequire(${entry})('tsx/cjs/api').register(); require(${entry});`;
  return new Worker(script, { ...options, eval: true });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
