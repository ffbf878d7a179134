/**
 * The batches of an import before it begins. Few are kept in memory, and then go into the log in one append. More are
 * staged as a file first: once the import has begun, whoever comes next can finish it.
 */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { RowBatch } from '../../commands/data-set/data-set.ts';
import type { Attribution } from '../../events/data-set-events.ts';
import { withRemoval } from '../background/unnamed-blobs.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { ImportServices } from './import-services.ts';
import { APPEND_BYTES, type PackedBatch, weigh } from './pack-batches.ts';
import { splitLines } from './split-lines.ts';

const MAX_STAGED_BYTES = 16 * 1_024 ** 3;
/** The file is written by pieces of this size. */
const PIECE_CHARS = 256 * 1_024;

export interface Staging {
  readonly add: (batches: readonly PackedBatch[]) => Promise<void>;
  /** Ends it. `kept`: all batches, where they fit into one append; null where they are staged under the key. */
  readonly end: () => Promise<{ readonly count: number; readonly kept: readonly RowBatch[] | null }>;
  /** Leaves nothing of it. */
  readonly discard: () => Promise<void>;
}

export interface StagingPlace {
  readonly dataset: string;
  /** Under which they are staged, if they are. */
  readonly key: string;
}

export function stageBatches(
  { blobs, queue }: Pick<ImportServices, 'blobs' | 'queue'>,
  { dataset, key }: StagingPlace,
  attribution: Attribution | null,
): Staging {
  let kept: PackedBatch[] = [];
  let keptBytes = 0;
  let count = 0;
  let file: { readonly stream: PassThrough; readonly stored: Promise<unknown> } | null = null;
  let piece = '';

  function openFile() {
    const stream = new PassThrough({ highWaterMark: PIECE_CHARS });
    const bytes = withRemoval(queue, { key, owner: { kind: 'import', dataset } }, stream);
    const stored = blobs.put(key, bytes, { maxBytes: MAX_STAGED_BYTES, sha256: null }).then((result) => {
      if (result.kind !== 'stored')
        throw new Error(`the batches of an import were not stored: ${result.kind}`);
    });
    // Whoever waits for it is told; until then a failure shows by the stream, which nobody drains any more.
    stored.catch((error: unknown) =>
      stream.destroy(error instanceof Error ? error : new Error(String(error))),
    );
    stream.on('error', () => {});
    return { stream, stored };
  }
  async function flush({ stream, stored }: NonNullable<typeof file>): Promise<void> {
    const text = piece;
    piece = '';
    if (stream.destroyed) await stored;
    if (!stream.write(text)) await Promise.race([once(stream, 'drain'), stored]);
  }
  async function write(batches: readonly PackedBatch[]): Promise<void> {
    file ??= openFile();
    for (const { batch } of batches) {
      piece += `${JSON.stringify(batch)}\n`;
      if (piece.length >= PIECE_CHARS) await flush(file);
    }
  }

  return {
    async add(batches) {
      count += batches.length;
      if (file !== null) return write(batches);
      kept.push(...batches);
      for (const packed of batches) keptBytes += weigh(packed, attribution);
      if (keptBytes <= APPEND_BYTES) return;
      const spilled = kept;
      kept = [];
      await write(spilled);
    },
    async end() {
      if (file === null) return { count, kept: kept.map(({ batch }) => batch) };
      await flush(file);
      file.stream.end();
      await file.stored;
      return { count, kept: null };
    },
    async discard() {
      if (file === null) return;
      file.stream.destroy(new Error('the import was given up'));
      await file.stored.catch(() => {});
      await blobs.remove(key);
    },
  };
}

/** The staged batches from this number on; null where there are none under the key. */
export async function readStaged(
  blobs: Blobs,
  key: string,
  from: number,
): Promise<AsyncIterable<PackedBatch> | null> {
  const bytes = await blobs.open(key, 0, MAX_STAGED_BYTES);
  return bytes === null ? null : parseStaged(bytes, from);
}

async function* parseStaged(
  bytes: AsyncIterable<Uint8Array>,
  from: number,
): AsyncGenerator<PackedBatch, void> {
  let number = 0;
  for await (const lines of splitLines(bytes, Infinity)) {
    for (const line of lines) {
      number += 1;
      if (number <= from || line === null) continue;
      // An import wrote it. What does not keep to the schema of its event is refused where that is made.
      yield { batch: JSON.parse(line.toString('utf8')) as RowBatch, bytes: line.length };
    }
  }
}
