/** The registry of generations and of the events that people decided to skip. Callers hold the transactions. */
import type { Database } from 'better-sqlite3';
import type {
  CollectionSpec,
  GenerationStatus,
  SkippedEvent,
  StuckAt,
} from '../../projections/view-store.ts';

export interface GenerationRow extends GenerationStatus {
  readonly spec: CollectionSpec;
  /** How often its documents came, went or changed what they are found or sorted by. */
  readonly moves: number;
}

interface StoredRow extends Omit<GenerationRow, 'spec' | 'live' | 'stuck'> {
  readonly spec: string;
  readonly live: number;
  readonly stuck: string | null;
}

export type GenerationTable = ReturnType<typeof generationTable>;

export function generationTable(db: Database) {
  const select =
    'SELECT view, version, generation, spec, live, documents, moves, checkpoint, stuck FROM generations';
  const every = db.prepare<[], StoredRow>(`${select} ORDER BY generation`);
  const ofView = db.prepare<[string], StoredRow>(`${select} WHERE view = ? ORDER BY generation`);
  const one = db.prepare<[string, number], StoredRow>(`${select} WHERE view = ? AND generation = ?`);
  const insert = db.prepare<[string, number, string, number], StoredRow>(
    'INSERT INTO generations (view, version, spec, live) VALUES (?, ?, ?, ?) RETURNING *',
  );
  const remove = db.prepare<[number]>('DELETE FROM generations WHERE generation = ?');
  const setLive = db.prepare<[number]>('UPDATE generations SET live = 1 WHERE generation = ?');
  const advance = db.prepare<[string, string, number, string | null]>(
    'UPDATE generations SET checkpoint = ? WHERE view = ? AND generation = ? AND checkpoint IS ?',
  );
  const count = db.prepare<[number, number, number]>(
    'UPDATE generations SET documents = documents + ?, moves = moves + ? WHERE generation = ?',
  );
  const setStuck = db.prepare<[string | null, string, number]>(
    'UPDATE generations SET stuck = ? WHERE view = ? AND generation = ?',
  );
  const skip = db.prepare<[SkippedEvent]>(
    'INSERT OR IGNORE INTO skipped (view, event_id, by, reason, at) VALUES (@view, @eventId, @by, @reason, @at)',
  );
  const skipped = db.prepare<[], SkippedEvent>(
    'SELECT view, event_id AS eventId, by, reason, at FROM skipped ORDER BY at, event_id',
  );
  const exists = db
    .prepare<[string, number], number>('SELECT 1 FROM generations WHERE view = ? AND generation = ?')
    .pluck();

  return {
    all: (): GenerationRow[] => every.all().map(toRow),
    of: (view: string): GenerationRow[] => ofView.all(view).map(toRow),
    find: (view: string, generation: number): GenerationRow | undefined =>
      one.all(view, generation).map(toRow)[0],
    exists: (view: string, generation: number): boolean => exists.get(view, generation) !== undefined,
    insert(
      { name, version, fields, orders, searchable = false }: CollectionSpec,
      live: boolean,
    ): GenerationRow {
      const spec = JSON.stringify({ name, version, fields, orders, searchable });
      const [row] = insert.all(name, version, spec, live ? 1 : 0).map(toRow);
      if (row === undefined) throw new Error(`no generation was made for ${name}`);
      return row;
    },
    remove: (generation: number): void => void remove.run(generation),
    setLive: (generation: number): void => void setLive.run(generation),
    /** Moves the checkpoint if it stands at `from`. */
    advance: (view: string, generation: number, from: string | null, to: string): boolean =>
      advance.run(to, view, generation, from).changes === 1,
    count: (generation: number, added: number, moved: number): void =>
      void count.run(added, moved, generation),
    setStuck: (view: string, generation: number, stuck: StuckAt | null): void =>
      void setStuck.run(stuck === null ? null : JSON.stringify(stuck), view, generation),
    skip: (event: SkippedEvent): void => void skip.run(event),
    skipped: (): SkippedEvent[] => skipped.all(),
  };
}

/** Only {@link generationTable} writes these columns. */
function toRow(stored: StoredRow): GenerationRow {
  return {
    ...stored,
    spec: JSON.parse(stored.spec) as CollectionSpec,
    live: stored.live === 1,
    stuck: stored.stuck === null ? null : (JSON.parse(stored.stuck) as StuckAt),
  };
}

export function toStatus({
  view,
  version,
  generation,
  live,
  documents,
  checkpoint,
  stuck,
}: GenerationRow): GenerationStatus {
  return { view, version, generation, live, documents, checkpoint, stuck };
}
