/**
 * Imports the rows of a source into a data set. The source is read and compared first; nothing is in the log before it
 * is certain what the import changes. What fits into one append is there at once or not at all. A larger import is
 * staged as a file, begun, and added append by append; if the process dies in between, the next import, or a serving
 * process, finishes it. An import that changes nothing adds nothing.
 */
import { createHash, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { dataSetDecider, type ImportTerms } from '../../commands/data-set/data-set.ts';
import type { Attribution, ImportSource } from '../../events/data-set-events.ts';
import { freshId } from '../../events/ids.ts';
import { attributionOf } from './attribution.ts';
import {
  type ChangedRow,
  compareRows,
  type ImportReport,
  type MissingRows,
  NONE_MISSING,
} from './compare-rows.ts';
import { addStaged, finishImport } from './finish-import.ts';
import type { ImportCause, ImportServices } from './import-services.ts';
import { type BegunImport, type KnownRows, readKnownRows } from './known-rows.ts';
import { batchPacker, packRetired } from './pack-batches.ts';
import { CutShort, type RowFormat, UnreadableSource } from './source-row.ts';
import { readRows } from './read-rows.ts';
import { stageBatches, type Staging } from './staged-batches.ts';

export interface ImportRequest {
  readonly dataset: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly format: RowFormat;
  readonly source: Pick<ImportSource, 'kind' | 'name'>;
  /** Null leaves it as it was said before, unless that was said of the demonstration. */
  readonly attribution: Attribution | null;
  /** Whether rows that the source lacks are retired. */
  readonly isComplete: boolean;
  /** Whether more than a fifth of the listed rows may be retired at once. */
  readonly mayRetireMany: boolean;
  /** Only says what would change. */
  readonly dryRun: boolean;
  readonly cause: ImportCause;
  /** The caller's name for this import, where it may be sent again; the same one adds nothing twice. */
  readonly commandId?: string;
  /** Told of each group of rows that was read. */
  readonly onProgress?: (rows: number) => void;
}

export type ImportOutcome =
  | {
      readonly ok: true;
      readonly report: ImportReport;
      /** Null where nothing was added to the log. */
      readonly importId: string | null;
      /** It is said by the events of rows: where no row changes, another one than before is not kept. */
      readonly isAttributionDropped: boolean;
      /** It was imported before under the same name: of the report there are the counts alone. */
      readonly isReplayed: boolean;
    }
  | { readonly ok: false; readonly refusal: ImportRefusal; readonly report: ImportReport | null };

export type ImportRefusal =
  | { readonly kind: 'unreadable'; readonly reason: string; readonly isCutShort: boolean }
  /** A complete source of which no row can be taken: none is there, or each was refused. */
  | { readonly kind: 'no_rows'; readonly refused: number }
  /** More than a fifth of the rows is missing: the source may be cut short. */
  | { readonly kind: 'retires_many'; readonly retired: number; readonly listed: number }
  /** Another import of the data set came first: what was compared is out of date. */
  | { readonly kind: 'overtaken' }
  /** Another source, or an import of another kind, came under the same name before. */
  | { readonly kind: 'other_request' }
  /** Its staged batches were gone before all were added: some of its rows are in the log, the others are not. */
  | { readonly kind: 'abandoned'; readonly importId: string };

/** More than this share of the listed rows is not retired unasked. */
const MAX_RETIRED_SHARE = 1 / 5;

export async function importRows(services: ImportServices, request: ImportRequest): Promise<ImportOutcome> {
  const known = await settledRows(services, request);
  if (known.answered !== null) return answerAgain(known.answered, request);
  const importId = freshId('import', request.cause.at, randomUUID());
  const attribution = attributionOf(request.attribution, known.attribution);
  const staging = stageBatches(services, { dataset: request.dataset, key: importId }, attribution);
  const compared = await compareAll(known, staging, request).catch(async (error: unknown) => {
    await staging.discard();
    if (!(error instanceof UnreadableSource)) throw error;
    const isCutShort = error instanceof CutShort;
    const refusal = { kind: 'unreadable', reason: error.message, isCutShort } as const;
    return { ok: false, refusal, report: null } as const;
  });
  if (!compared.ok) return compared;
  const { report, source, staged } = compared;
  if (staged.count === 0) {
    const isOther = request.attribution !== null && !isDeepStrictEqual(attribution, known.attribution);
    const isAttributionDropped = isOther && !request.dryRun;
    return { ok: true, report, importId: null, isAttributionDropped, isReplayed: false };
  }
  const terms: ImportTerms = {
    dataset: request.dataset,
    importId,
    source,
    attribution,
    isComplete: request.isComplete,
    counts: report.counts,
    batches: staged.count,
  };
  const begun = await services.commands.run(
    dataSetDecider,
    request.dataset,
    { type: 'BeginImport', terms, after: known.after, first: staged.kept ?? [] },
    { ...request.cause, commandId: request.commandId ?? importId },
  );
  if (begun.kind !== 'accepted') {
    await staging.discard();
    return { ok: false, refusal: { kind: 'overtaken' }, report };
  }
  const end = staged.kept === null ? await addStaged(services, terms, 0, request.cause) : 'finished';
  if (end === 'abandoned') return { ok: false, refusal: { kind: 'abandoned', importId }, report };
  return { ok: true, report, importId, isAttributionDropped: false, isReplayed: false };
}

/** What the same import was answered before, if it is the same. */
async function answerAgain(before: BegunImport, request: ImportRequest): Promise<ImportOutcome> {
  const measured = measure(request.bytes);
  for await (const _chunk of measured.bytes);
  const { sha256 } = measured.facts();
  if (sha256 !== before.source.sha256 || request.isComplete !== before.isComplete || request.dryRun)
    return { ok: false, refusal: { kind: 'other_request' }, report: null };
  const { importId, counts } = before;
  // Retired are those that the source lacks.
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0) - counts.retired;
  const report = { rows, counts, missingKept: 0, refused: [], collisions: [], odd: [] };
  return { ok: true, report, importId, isAttributionDropped: false, isReplayed: true };
}

type Compared =
  | Extract<ImportOutcome, { ok: false }>
  | {
      readonly ok: true;
      readonly report: ImportReport;
      readonly source: ImportSource;
      readonly staged: Awaited<ReturnType<Staging['end']>>;
    };

/** Reads the source to its end. What it changes is staged, unless it is only to be told. */
async function compareAll(known: KnownRows, staging: Staging, request: ImportRequest): Promise<Compared> {
  const comparison = compareRows(request.dataset, known.rows);
  const packer = batchPacker();
  const measured = measure(request.bytes);
  const stage = async (changed: readonly ChangedRow[]): Promise<void> => {
    if (request.dryRun) return;
    for (const row of changed) await staging.add(packer.add(row));
  };
  let rows = 0;
  for await (const group of readRows(measured.bytes, request.format)) {
    for (const row of group) {
      const changed = comparison.take(row);
      const full = changed === null || request.dryRun ? [] : packer.add(changed);
      // Nearly always there is none, and to wait for nothing would cost more than the row.
      if (full.length > 0) await staging.add(full);
    }
    await stage(comparison.settle(false));
    rows += group.length;
    request.onProgress?.(rows);
  }
  await stage(comparison.settle(true));
  const missing = request.isComplete ? comparison.missing() : NONE_MISSING;
  const report = comparison.report(missing);
  const refusal = request.isComplete && !request.mayRetireMany ? whyImplausible(report, missing) : null;
  if (refusal !== null) {
    await staging.discard();
    return { ok: false, refusal, report };
  }
  const retired = missing.mayBeRefused ? [] : missing.ids;
  if (!request.dryRun) await staging.add([...packer.rest(), ...packRetired(retired)]);
  const staged = await staging.end();
  return { ok: true, report, source: { ...request.source, ...measured.facts() }, staged };
}

/** The rows after all imports that were begun: one that was broken off is finished first, unless nothing may be added. */
async function settledRows(services: ImportServices, request: ImportRequest) {
  const { dataset, dryRun, cause, commandId } = request;
  const known = await readKnownRows(services.events, dataset, commandId);
  if (known.underWay === null || dryRun) return known;
  await finishImport(services, dataset, cause);
  return readKnownRows(services.events, dataset, commandId);
}

/** Why a source that is to be complete may not be the truth; null where it may. */
function whyImplausible(
  { rows, counts: { refused } }: ImportReport,
  { ids, listedBefore }: MissingRows,
): ImportRefusal | null {
  if (refused === rows) return { kind: 'no_rows', refused };
  if (ids.length > listedBefore * MAX_RETIRED_SHARE)
    return { kind: 'retires_many', retired: ids.length, listed: listedBefore };
  return null;
}

/** The bytes as they pass, and what is to be kept of them once they have. */
function measure(source: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256');
  let length = 0;
  async function* passing(): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of source) {
      hash.update(chunk);
      length += chunk.length;
      yield chunk;
    }
  }
  return { bytes: passing(), facts: () => ({ sha256: hash.digest('hex'), bytes: length }) };
}
