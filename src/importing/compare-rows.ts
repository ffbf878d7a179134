/** Compares the rows of a source with those that are known, one after the other, and keeps the account of it. */
import type { ImportCounts, ImportedRow } from '../../events/data-set-events.ts';
import { oddTexts } from '../../projections/data-rows.ts';
import { DIRECTORY_TEXTS } from '../../projections/directory-rows.ts';
import { readModel } from '../../projections/model-document.ts';
import { MODELS } from '../../projections/models.ts';
import { TOOL_TEXTS, TOOLS } from '../../projections/tools.ts';
import { byItself } from './by-itself.ts';
import { checkRow } from './check-row.ts';
import { identify, type Identity } from './identify-row.ts';
import type { KnownRow } from './known-rows.ts';
import { type SourceRow, UnreadableSource } from './source-row.ts';

/** A line of the source with what is to be said of it. */
export interface LineNote {
  readonly line: number;
  readonly reason: string;
}

export interface ImportReport {
  readonly rows: number;
  readonly counts: ImportCounts;
  /** Listed rows that a complete source lacks and that stay listed: refused rows without an id may be they. */
  readonly missingKept: number;
  /** The first thousand of each; the counts tell how many there are. */
  readonly refused: readonly LineNote[];
  /** Rows that have a longer id, since another row has their address and name. */
  readonly collisions: readonly LineNote[];
  /** Rows that were taken and of which something could not be read. */
  readonly odd: readonly LineNote[];
}

/** What a complete source lacks. */
export interface MissingRows {
  /** Of listed rows. */
  readonly ids: readonly string[];
  /** How many rows were listed before. */
  readonly listedBefore: number;
  /** Whether they may be among those that were refused without an id: then they stay listed. */
  readonly mayBeRefused: boolean;
}

export const NONE_MISSING: MissingRows = { ids: [], listedBefore: 0, mayBeRefused: false };

export type RowChange = 'added' | 'changed' | 'returned';

export interface ChangedRow {
  readonly change: RowChange;
  readonly row: ImportedRow;
  /** Of the fields in JSON. */
  readonly bytes: number;
}

const MAX_NOTES = 1_000;
/** Of one data set, retired ones too: each takes some hundred bytes of the memory of whoever imports. */
export const MAX_ROWS = 2_000_000;

export function compareRows(dataset: string, known: Map<string, KnownRow>, maxRows: number = MAX_ROWS) {
  const counts = { added: 0, changed: 0, returned: 0, retired: 0, unchanged: 0, refused: 0 };
  const refused: LineNote[] = [];
  const collisions: LineNote[] = [];
  const odd: LineNote[] = [];
  let rows = 0;
  let refusedWithoutId = 0;
  /** Until one is made, no row of a first import has an exact id. */
  let mayHaveExactIds = known.size > 0;

  function refuseWithoutId(line: number, reason: string): null {
    refusedWithoutId += 1;
    return refuse(line, reason);
  }

  function refuse(line: number, reason: string): null {
    counts.refused += 1;
    note(refused, line, reason);
    return null;
  }

  /** Nearly always it is the very row that was there. */
  function isUnchanged(id: string, digest: string | null, line: number): boolean {
    const before = known.get(id);
    if (before?.digest !== digest || before.line !== 0 || !before.isListed) return false;
    before.line = line;
    counts.unchanged += 1;
    return true;
  }

  /** The id that the row has here; null, and refused, where another row of the source has it. */
  function resolve(
    identity: Exclude<Identity, { kind: 'none' }>,
    line: number,
    digest: string | null,
  ): string | null {
    const { id } = identity;
    const before = known.get(id);
    const met = before?.line ?? 0;
    if (identity.kind === 'given') {
      return met === 0 ? id : refuse(line, `its id ${JSON.stringify(id)} is that of line ${met}`);
    }
    if (met === 0 && before?.digest === digest) return id;
    if (met === 0 && !mayHaveExactIds) return id;
    const exact = identity.exact();
    const sameRow = known.get(exact);
    // Once it has the longer one it keeps it, however the source is ordered.
    if (met === 0 && sameRow === undefined) return id;
    mayHaveExactIds = true;
    if (sameRow !== undefined && sameRow.line !== 0)
      return refuse(line, `line ${sameRow.line} has the same address, name, source and category already`);
    note(collisions, line, `${exact}: another row has the same address and name`);
    return exact;
  }

  function compare(id: string, digest: string, line: number): RowChange | null {
    const before = known.get(id);
    if (before === undefined) {
      if (known.size >= maxRows)
        throw new UnreadableSource(`with line ${line} the data set would have more than ${maxRows} rows`);
      known.set(id, { digest: byItself(digest), isListed: true, line });
      counts.added += 1;
      return 'added';
    }
    const { isListed, digest: digestBefore } = before;
    before.line = line;
    if (isListed && digestBefore === digest) {
      counts.unchanged += 1;
      return null;
    }
    before.digest = byItself(digest);
    before.isListed = true;
    const change = isListed ? 'changed' : 'returned';
    counts[change] += 1;
    return change;
  }

  return {
    /** What the row changes; null where it changes nothing or is refused. */
    take(source: SourceRow): ChangedRow | null {
      rows += 1;
      const { line } = source;
      if ('refusal' in source) return refuseWithoutId(line, source.refusal);
      const { fields } = source;
      const identity = identify(fields, dataset);
      if (identity.kind === 'none') return refuseWithoutId(line, identity.reason);
      const checked = checkRow(fields);
      if (isUnchanged(identity.id, checked.digest, line)) return null;
      const id = resolve(identity, line, checked.digest);
      if (id === null) return null;
      if (checked.digest === null) {
        // The row as it was stays listed: its source has not dropped it.
        const before = known.get(id);
        if (before !== undefined) before.line = line;
        return refuse(line, checked.refusal);
      }
      const { digest, bytes } = checked;
      const change = compare(id, digest, line);
      if (change === null) return null;
      // What was written as JSON was read from JSON.
      const row = { id, digest, fields: fields as ImportedRow['fields'] };
      noteOdd(odd, line, dataset, row);
      return { change, row, bytes };
    },
    missing(): MissingRows {
      const ids: string[] = [];
      for (const [id, { isListed, line }] of known) if (isListed && line === 0) ids.push(id);
      return {
        ids,
        listedBefore: counts.unchanged + counts.changed + ids.length,
        mayBeRefused: refusedWithoutId > 0,
      };
    },
    report: ({ ids, mayBeRefused }: MissingRows): ImportReport => ({
      rows,
      counts: { ...counts, retired: mayBeRefused ? 0 : ids.length },
      missingKept: mayBeRefused ? ids.length : 0,
      refused,
      collisions,
      odd,
    }),
  };
}

function note(notes: LineNote[], line: number, reason: string): void {
  if (notes.length < MAX_NOTES) notes.push({ line, reason });
}

const NOWHERE = {
  dataset: MODELS,
  status: 'listed',
  firstSeenAt: '',
  updatedAt: '',
  position: '',
  attribution: null,
} as const;

function noteOdd(notes: LineNote[], line: number, dataset: string, row: ImportedRow): void {
  const odd = oddIn(dataset, row);
  if (odd.length > 0) note(notes, line, `${row.id}: ${odd.join('; ')}`);
}

function oddIn(dataset: string, row: ImportedRow): readonly string[] {
  if (dataset === MODELS) return readModel(row, { ...NOWHERE, id: row.id }).odd;
  return oddTexts(row.fields, dataset === TOOLS ? TOOL_TEXTS : DIRECTORY_TEXTS);
}
