/** Compares the rows of a source with those that are known, one after the other, and keeps the account of it. */
import type { ImportCounts, ImportedRow } from '../../events/data-set-events.ts';
import { oddTexts } from '../../projections/data-rows.ts';
import { DIRECTORY_TEXTS } from '../../projections/directory-rows.ts';
import { readModel } from '../../projections/model-document.ts';
import { MODELS } from '../../projections/models.ts';
import { TOOL_TEXTS, TOOLS } from '../../projections/tools.ts';
import { byItself } from './by-itself.ts';
import { type CheckedRow, checkRow } from './check-row.ts';
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

interface ReadRow {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly identity: Exclude<Identity, { kind: 'none' }>;
  readonly checked: CheckedRow;
  readonly line: number;
}

export type RowChange = 'added' | 'changed' | 'returned';

export interface ChangedRow {
  readonly change: RowChange;
  readonly row: ImportedRow;
  /** Of the fields in JSON. */
  readonly bytes: number;
}

const MAX_NOTES = 1_000;
/** Of rows that wait for the end of the source; one counts for some more than its fields. */
const MAX_WAITING_BYTES = 8 * 1_024 * 1_024;
const BYTES_OF_A_ROW = 1_024;
/** Of one data set, retired ones too: each takes some hundred bytes of the memory of whoever imports. */
export const MAX_ROWS = 2_000_000;

export function compareRows(dataset: string, known: Map<string, KnownRow>, maxRows: number = MAX_ROWS) {
  const counts = { added: 0, changed: 0, returned: 0, retired: 0, unchanged: 0, refused: 0 };
  const refused: LineNote[] = [];
  const collisions: LineNote[] = [];
  const odd: LineNote[] = [];
  /** Each may be the row that has the short id, changed, or another one: the source has yet to show. */
  let waiting: ReadRow[] = [];
  let waitingBytes = 0;
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

  /** The id that the row has here; null where it is refused, since another row of the source has it, or waits. */
  function resolve(row: ReadRow, mayWait: boolean): string | null {
    const { identity, line } = row;
    const { id } = identity;
    const { digest } = row.checked;
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
    if (met === 0 && sameRow === undefined) {
      const isTheOne = before === undefined || before.qualifier === identity.qualifier();
      return isTheOne || !mayWait ? id : wait(row);
    }
    mayHaveExactIds = true;
    if (sameRow !== undefined && sameRow.line !== 0)
      return refuse(line, `line ${sameRow.line} has the same address, name, source and category already`);
    note(collisions, line, `${exact}: another row has the same address and name`);
    return exact;
  }

  function wait(row: ReadRow): null {
    waiting.push(row);
    waitingBytes += BYTES_OF_A_ROW + ('bytes' in row.checked ? row.checked.bytes : 0);
    return null;
  }

  function change(row: ReadRow, mayWait: boolean): ChangedRow | null {
    const { fields, checked, line } = row;
    const id = resolve(row, mayWait);
    if (id === null) return null;
    if (checked.digest === null) {
      // The row as it was stays listed: its source has not dropped it.
      const before = known.get(id);
      if (before !== undefined) before.line = line;
      return refuse(line, checked.refusal);
    }
    const { digest, bytes } = checked;
    const kind = compare(id, digest, line);
    if (kind === null) return null;
    // What was written as JSON was read from JSON.
    const imported = { id, digest, fields: fields as ImportedRow['fields'] };
    noteOdd(odd, line, dataset, imported);
    return { change: kind, row: imported, bytes };
  }

  function compare(id: string, digest: string, line: number): RowChange | null {
    const before = known.get(id);
    if (before === undefined) {
      if (known.size >= maxRows)
        throw new UnreadableSource(`with line ${line} the data set would have more than ${maxRows} rows`);
      known.set(id, { digest: byItself(digest), isListed: true, line, qualifier: '' });
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
    /** What the row changes; null where it changes nothing, is refused, or waits to be settled. */
    take(source: SourceRow): ChangedRow | null {
      rows += 1;
      const { line } = source;
      if ('refusal' in source) return refuseWithoutId(line, source.refusal);
      const { fields } = source;
      const identity = identify(fields, dataset);
      if (identity.kind === 'none') return refuseWithoutId(line, identity.reason);
      const checked = checkRow(fields);
      if (isUnchanged(identity.id, checked.digest, line)) return null;
      return change({ fields, identity, checked, line }, true);
    },
    /**
     * What those change that waited: once the source has ended, or so many wait that they are taken for rows that
     * changed their source or category.
     */
    settle(hasEnded: boolean): readonly ChangedRow[] {
      if (!hasEnded && waitingBytes < MAX_WAITING_BYTES) return [];
      const settled = waiting.map((row) => change(row, false)).filter((one) => one !== null);
      waiting = [];
      waitingBytes = 0;
      return settled;
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
