/** Packs changed rows into batches, each of which becomes one event. */
import type { RowBatch } from '../../commands/data-set/data-set.ts';
import type { Attribution, ImportedRow } from '../../events/data-set-events.ts';
import type { ChangedRow, RowChange } from './compare-rows.ts';

/**
 * Followers of the log take in pages of hundreds of events, whatever they weigh: so a page has some 4 MB and some ten
 * thousand rows. A hundred thousand rows of usual size make four thousand events.
 */
const BATCH_BYTES = 8 * 1_024;
/** Digest, id and punctuation, beside the fields and twice the id. */
const ROW_BYTES = 64;

export interface PackedBatch {
  readonly batch: RowBatch;
  readonly bytes: number;
}

const TYPES = {
  added: 'RowsListed',
  changed: 'RowsRevised',
  returned: 'RowsReturned',
} as const satisfies Record<RowChange, RowBatch['type']>;

export function batchPacker() {
  const open = new Map<RowChange, { rows: ImportedRow[]; bytes: number }>();

  function close(change: RowChange): PackedBatch[] {
    const filled = open.get(change);
    open.delete(change);
    return filled === undefined
      ? []
      : [{ batch: { type: TYPES[change], rows: filled.rows }, bytes: filled.bytes }];
  }
  return {
    /** The batch that had no room for it any more, if there is one. */
    add({ change, row, bytes }: ChangedRow): PackedBatch[] {
      const weight = ROW_BYTES + 3 * row.id.length + bytes;
      const full = (open.get(change)?.bytes ?? 0) + weight > BATCH_BYTES ? close(change) : [];
      const filling = open.get(change) ?? { rows: [], bytes: 0 };
      open.set(change, filling);
      filling.rows.push(row);
      filling.bytes += weight;
      return full;
    },
    rest: (): PackedBatch[] => [...close('added'), ...close('changed'), ...close('returned')],
  };
}

/** In batches as above. */
export function packRetired(ids: readonly string[]): PackedBatch[] {
  const batches: PackedBatch[] = [];
  let some: string[] = [];
  let bytes = 0;
  const close = (): void => {
    if (some.length > 0) batches.push({ batch: { type: 'RowsRetired', ids: some }, bytes });
    some = [];
    bytes = 0;
  };
  for (const id of ids) {
    const weight = ROW_BYTES + 3 * id.length;
    if (bytes + weight > BATCH_BYTES) close();
    some.push(id);
    bytes += weight;
  }
  close();
  return batches;
}

/** What one append takes with the envelopes of its events (events/event-store.ts). */
export const APPEND_BYTES = 600_000;

/** What a batch takes of an append: each event says whom to name for its rows. */
export function weigh({ batch, bytes }: PackedBatch, attribution: Attribution | null): number {
  return batch.type === 'RowsRetired' ? bytes : bytes + Buffer.byteLength(JSON.stringify(attribution));
}

/** Batches in groups that fit into an append each. */
export async function* inAppends(
  batches: AsyncIterable<PackedBatch>,
  attribution: Attribution | null,
): AsyncGenerator<readonly RowBatch[], void> {
  let group: RowBatch[] = [];
  let bytes = 0;
  for await (const packed of batches) {
    const weight = weigh(packed, attribution);
    if (group.length > 0 && bytes + weight > APPEND_BYTES) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(packed.batch);
    bytes += weight;
  }
  if (group.length > 0) yield group;
}
