/**
 * A blob is stored before the event that names it: a process that dies in between leaves one that nobody knows. So a task
 * is added before the blob is whole. A day later it looks in the log, and removes the blob unless it is named there.
 */
import { z } from 'zod';
import { type NewTask, type Queue, QueueUnavailable } from '../ports/queue.ts';

export const REMOVE_UNNAMED_BLOB = 'remove-unnamed-blob';
/** From a blob to its event it takes seconds. */
export const UNNAMED_FOR_MS = 24 * 60 * 60 * 1_000;

/** By whose events it is to be named. */
const blobOwner = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('import'), dataset: z.string() }),
  z.object({ kind: z.literal('job'), jobId: z.string() }),
]);
export type BlobOwner = Readonly<z.output<typeof blobOwner>>;

export const unnamedBlob = z.object({ key: z.string(), owner: blobOwner });
export type UnnamedBlob = Readonly<z.output<typeof unnamedBlob>>;

/** The bytes of a blob to be stored, which are whole only once the task is there. */
export async function* withRemoval(
  queue: Pick<Queue, 'add'>,
  blob: UnnamedBlob,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  yield* bytes;
  // Rather a blob too many than one that is not taken.
  await queue.add([removalOf(blob)]).catch((error: unknown) => {
    if (!(error instanceof QueueUnavailable)) throw error;
  });
}

function removalOf(blob: UnnamedBlob): NewTask {
  return {
    id: `${REMOVE_UNNAMED_BLOB}:${blob.key}`,
    name: REMOVE_UNNAMED_BLOB,
    payload: JSON.stringify(blob),
    dueAtMs: Date.now() + UNNAMED_FOR_MS,
  };
}
