/** The registry of generations and of the events that people decided to skip. Callers hold the transactions. */
import type { Database } from 'better-sqlite3';
import { type LogMark, parseLogMark } from '../../events/log-mark.ts';
import type {
  CollectionSpec,
  GenerationStatus,
  SkippedEvent,
  StuckAt,
  ViewCommit,
  ViewMark,
} from '../../projections/view-store.ts';
import { parseSpec, parseStuck } from './stored-generation.ts';
import { ALL_LISTED } from './view-lists.ts';

export interface GenerationRow extends GenerationStatus {
  readonly spec: CollectionSpec;
  /** How often its documents came, went or changed what they are found or sorted by. */
  readonly moves: number;
  /** The last document whose texts and words are listed (view-lists.ts); 0 while it is only filled. */
  readonly listedTo: number;
}

interface StoredStatus extends Omit<GenerationStatus, 'live' | 'stuck'> {
  readonly live: number;
  readonly stuck: string | null;
}

interface StoredRow extends Omit<GenerationRow, 'spec' | 'live' | 'stuck'>, StoredStatus {
  readonly spec: string;
}

/** Without the spec, which is long: this is asked many times a second by those who wait for a view. */
const SELECT_STATUS = `SELECT view, version, generation, live, documents, checkpoint, stuck
  FROM generations ORDER BY generation`;
const SELECT = `SELECT view, version, generation, spec, live, documents, moves, checkpoint, stuck,
  listed_to AS listedTo FROM generations`;

export type GenerationTable = ReturnType<typeof generationTable>;

export function generationTable(db: Database) {
  const every = db.prepare<[], StoredRow>(`${SELECT} ORDER BY generation`);
  const statuses = db.prepare<[], StoredStatus>(SELECT_STATUS);
  const ofView = db.prepare<[string], StoredRow>(`${SELECT} WHERE view = ? ORDER BY generation`);
  const one = db.prepare<[string, number], StoredRow>(`${SELECT} WHERE view = ? AND generation = ?`);
  const find = (view: string, generation: number): GenerationRow | undefined =>
    one.all(view, generation).map(toRow)[0];
  const marks = db.prepare<[], Omit<ViewMark, 'mark'> & { readonly mark: string | null }>(
    'SELECT view, generation, checkpoint, mark FROM generations ORDER BY generation',
  );
  const exists = db
    .prepare<[string, number], number>('SELECT 1 FROM generations WHERE view = ? AND generation = ?')
    .pluck();
  return {
    all: (): GenerationRow[] => every.all().map(toRow),
    statuses: (): GenerationStatus[] => statuses.all().map((one) => ({ ...one, ...stateOf(one) })),
    marks: (): ViewMark[] => marks.all().map((one) => ({ ...one, mark: parseLogMark(one.mark) })),
    of: (view: string): GenerationRow[] => ofView.all(view).map(toRow),
    find,
    exists: (view: string, generation: number): boolean => exists.get(view, generation) !== undefined,
    ...comingAndGoing(db, find),
    ...changes(db),
    ...skips(db),
  };
}

function comingAndGoing(db: Database, find: (view: string, generation: number) => GenerationRow | undefined) {
  const insert = db
    .prepare<[string, number, string, number, number], number>(
      'INSERT INTO generations (view, version, spec, live, listed_to) VALUES (?, ?, ?, ?, ?) RETURNING generation',
    )
    .pluck();
  const remove = db.prepare<[number]>('DELETE FROM generations WHERE generation = ?');
  const setLive = db.prepare<[number]>('UPDATE generations SET live = 1 WHERE generation = ?');
  return {
    insert(
      { name, version, fields, orders, searchable = false }: CollectionSpec,
      live: boolean,
    ): GenerationRow {
      const spec = JSON.stringify({ name, version, fields, orders, searchable });
      const generation = insert.get(name, version, spec, live ? 1 : 0, live ? ALL_LISTED : 0) ?? 0;
      const row = find(name, generation);
      if (row === undefined) throw new Error(`no generation was made for ${name}`);
      return row;
    },
    remove: (generation: number): void => void remove.run(generation),
    setLive: (generation: number): void => void setLive.run(generation),
  };
}

function changes(db: Database) {
  const advance = db
    .prepare<[string, string | null, string, number, string | null], number>(
      `UPDATE generations SET checkpoint = ?, mark = coalesce(?, mark) WHERE view = ? AND generation = ? AND checkpoint IS ?
       RETURNING listed_to`,
    )
    .pluck();
  const count = db.prepare<[number, number, number]>(
    'UPDATE generations SET documents = documents + ?, moves = moves + ? WHERE generation = ?',
  );
  const setListed = db.prepare<[number, number]>('UPDATE generations SET listed_to = ? WHERE generation = ?');
  const setDocuments = db.prepare<[number, number]>(
    'UPDATE generations SET documents = ? WHERE generation = ?',
  );
  const setStuck = db.prepare<[string | null, string, number]>(
    'UPDATE generations SET stuck = ? WHERE view = ? AND generation = ?',
  );
  let last: { readonly mark: LogMark; readonly text: string } | undefined;
  /** A commit moves a dozen views and more, nearly always to the same mark. */
  const textOf = (mark: LogMark): string => {
    if (last?.mark !== mark) last = { mark, text: JSON.stringify(mark) };
    return last.text;
  };
  return {
    /** Moves the checkpoint if it stands at `from`, and answers with `listedTo`. */
    advance: ({ view, generation, from, to, mark }: Omit<ViewCommit, 'writes'>): number | undefined =>
      advance.get(to, mark === undefined ? null : textOf(mark), view, generation, from),
    count: (generation: number, added: number, moved: number): void =>
      void count.run(added, moved, generation),
    setListed: (generation: number, listedTo: number): void => void setListed.run(listedTo, generation),
    setDocuments: (generation: number, documents: number): void =>
      void setDocuments.run(documents, generation),
    setStuck: (view: string, generation: number, stuck: StuckAt | null): void =>
      void setStuck.run(stuck === null ? null : JSON.stringify(stuck), view, generation),
  };
}

function skips(db: Database) {
  const skip = db.prepare<[SkippedEvent]>(
    'INSERT OR IGNORE INTO skipped (view, event_id, by, reason, at) VALUES (@view, @eventId, @by, @reason, @at)',
  );
  const skipped = db.prepare<[], SkippedEvent>(
    'SELECT view, event_id AS eventId, by, reason, at FROM skipped ORDER BY at, event_id',
  );
  return {
    skip: (event: SkippedEvent): void => void skip.run(event),
    skipped: (): SkippedEvent[] => skipped.all(),
  };
}

function toRow(stored: StoredRow): GenerationRow {
  return { ...stored, spec: parseSpec(stored), ...stateOf(stored) };
}

function stateOf({ live, stuck }: StoredStatus): Pick<GenerationStatus, 'live' | 'stuck'> {
  return { live: live === 1, stuck: stuck === null ? null : parseStuck(stuck) };
}

export function toStatus(row: GenerationRow): GenerationStatus {
  const { view, version, generation, live, documents, checkpoint, stuck } = row;
  return { view, version, generation, live, documents, checkpoint, stuck };
}
