/**
 * A data set: imports one after the other, each decided upon the rows that the import before has left. The rows
 * themselves are no part of the state. Whoever imports compares with them as they were after a certain import, and is
 * refused when another import has begun since: so two imports cannot mix.
 */
import type { Attribution, DataSetFact, ImportCounts, ImportSource } from '../../events/data-set-events.ts';
import type { Occurred } from '../../events/event.ts';
import { accept, assertNever, type Decider, type Decision, reject } from '../decider.ts';

type BatchType = 'RowsListed' | 'RowsRevised' | 'RowsReturned' | 'RowsRetired';
type DataOf<Type extends BatchType> = Extract<DataSetFact, { type: Type }>['data'];
type BatchOf<Type extends BatchType> = Type extends BatchType
  ? { readonly type: Type } & Omit<DataOf<Type>, 'dataset' | 'importId' | 'batch' | 'batches' | 'attribution'>
  : never;

/** What one event adds: rows that were listed, revised or returned, or the ids of retired ones. */
export type RowBatch = BatchOf<BatchType>;

export interface ImportTerms {
  readonly dataset: string;
  readonly importId: string;
  readonly source: ImportSource;
  readonly attribution: Attribution | null;
  readonly isComplete: boolean;
  readonly counts: ImportCounts;
  /** How many there are in all, at least one. */
  readonly batches: number;
}

/** Begins an import with its first batches, which may be all: then it is finished at once. */
export interface BeginImport {
  readonly type: 'BeginImport';
  readonly terms: ImportTerms;
  /** The import after which the rows were that it was compared with; null before the first. */
  readonly after: string | null;
  readonly first: readonly RowBatch[];
}

/** Adds the batches from this number on; those that are there already are left out. */
export interface AddBatches {
  readonly type: 'AddBatches';
  readonly terms: Pick<ImportTerms, 'dataset' | 'importId' | 'attribution' | 'batches'>;
  readonly from: number;
  readonly batches: readonly RowBatch[];
}

/** Gives up an import whose further batches are lost. */
export interface AbandonImport {
  readonly type: 'AbandonImport';
  readonly dataset: string;
  readonly importId: string;
  readonly reason: string;
}

export type DataSetCommand = BeginImport | AddBatches | AbandonImport;

export type DataSet =
  | { readonly status: 'absent' }
  | { readonly status: 'settled'; readonly importId: string; readonly outcome: 'finished' | 'abandoned' }
  /** `next` is the number of the batch that it waits for. */
  | { readonly status: 'importing'; readonly importId: string; readonly next: number };

export type DataSetRejection =
  /** Another import is under way: it is to be finished first. */
  | { readonly kind: 'import_under_way'; readonly importId: string }
  /** There was another import since: what was compared is out of date. */
  | { readonly kind: 'moved_on'; readonly importId: string | null }
  | { readonly kind: 'not_under_way' }
  /** What it had still to add was given up as lost. */
  | { readonly kind: 'abandoned' }
  /** Batches before these are missing. */
  | { readonly kind: 'out_of_order'; readonly next: number };

type DataSetDecision = Decision<DataSetFact, DataSetRejection>;

export const dataSetDecider: Decider<DataSet, DataSetCommand, DataSetFact, DataSetRejection> = {
  family: 'dataset',
  initial: { status: 'absent' },
  evolve,
  decide,
  // Each event says how far its import is, which is all there is to know.
  isSnapshot: () => true,
  // A batch that is there already adds nothing.
  remembersCommands: false,
};

function evolve(_before: DataSet, event: Occurred<DataSetFact>): DataSet {
  const { importId } = event.data;
  switch (event.type) {
    case 'ImportBegun':
      return { status: 'importing', importId, next: 0 };
    case 'RowsListed':
    case 'RowsRevised':
    case 'RowsReturned':
    case 'RowsRetired':
      return { status: 'importing', importId, next: event.data.batch + 1 };
    case 'ImportFinished':
      return { status: 'settled', importId, outcome: 'finished' };
    case 'ImportAbandoned':
      return { status: 'settled', importId, outcome: 'abandoned' };
    default:
      return assertNever(event);
  }
}

function decide(command: DataSetCommand, state: DataSet): DataSetDecision {
  switch (command.type) {
    case 'BeginImport':
      return begin(command, state);
    case 'AddBatches':
      return add(command, state);
    case 'AbandonImport':
      return abandon(command, state);
    default:
      return assertNever(command);
  }
}

function begin({ terms, after, first }: BeginImport, state: DataSet): DataSetDecision {
  if (state.status === 'importing') return reject({ kind: 'import_under_way', importId: state.importId });
  const last = state.status === 'settled' ? state.importId : null;
  if (last !== after) return reject({ kind: 'moved_on', importId: last });
  return accept({ type: 'ImportBegun', data: { ...terms } }, ...batchFacts(terms, 0, first));
}

function add({ terms, from, batches }: AddBatches, state: DataSet): DataSetDecision {
  if (state.status === 'absent' || state.importId !== terms.importId)
    return reject({ kind: 'not_under_way' });
  // Somebody else has finished it, with the same batches, or given it up.
  if (state.status === 'settled')
    return state.outcome === 'finished' ? accept() : reject({ kind: 'abandoned' });
  const { next } = state;
  if (from > next) return reject({ kind: 'out_of_order', next });
  return accept(...batchFacts(terms, next, batches.slice(next - from)));
}

function abandon({ dataset, importId, reason }: AbandonImport, state: DataSet): DataSetDecision {
  if (state.status === 'absent' || state.importId !== importId) return reject({ kind: 'not_under_way' });
  if (state.status === 'settled') return accept();
  return accept({ type: 'ImportAbandoned', data: { dataset, importId, reason } });
}

/** With the end of the import behind its last batch. */
function batchFacts(
  { dataset, importId, attribution, batches }: AddBatches['terms'],
  from: number,
  added: readonly RowBatch[],
): DataSetFact[] {
  const facts = added.map((one, index): DataSetFact => {
    const place = { dataset, importId, batch: from + index, batches };
    if (one.type === 'RowsRetired') return { type: one.type, data: { ...place, ids: one.ids } };
    return { type: one.type, data: { ...place, attribution, rows: one.rows } };
  });
  return from + added.length < batches || facts.length === 0
    ? facts
    : [...facts, { type: 'ImportFinished', data: { dataset, importId } }];
}
