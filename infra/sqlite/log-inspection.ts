/**
 * Reads both indexes of the log from end to end in slices: that streams have no gaps, and that the indexes hold what the
 * table holds. SQLite's own integrity check would hold one read for as long as it takes, and the write-ahead log with it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import type { InspectionStep, LogFinding } from '../../src/ports/log-inspection.ts';
import { hasIdentity, nextDigest } from './log-marks.ts';
import { toPosition } from './log-position.ts';
import { isSqliteError } from './sqlite-error.ts';
import { whyOf } from './why.ts';

const SLICE_ROWS = 2_000;
const MAX_FINDINGS_OF_SLICE = 20;

interface Slice<Place> {
  readonly next: Place | null;
  readonly positions: readonly number[];
  readonly findings: readonly LogFinding[];
}

export async function* inspectLog(db: Database): AsyncGenerator<InspectionStep, void> {
  let total: number;
  try {
    total = db.prepare<[], number>('SELECT max(position) FROM events').pluck().get() ?? 0;
  } catch (error) {
    yield step('the table of events', 0, null, [unreadable('the end of the log', error)]);
    return;
  }
  const byStream = () => streamSlices(db, total);
  yield* walk('streams', total, ['', -1] as StreamPlace, ([streamId]) => streamId, byStream);
  yield* walk(
    'ids',
    total,
    '',
    (id) => id,
    () => idSlices(db, total),
  );
  yield* digestSteps(db, total);
}

/** Computes each digest anew from the one before: the events between them are those that were there when it was kept. */
async function* digestSteps(db: Database, total: number): AsyncGenerator<InspectionStep, void> {
  try {
    // An older log that was opened where nothing can be written keeps none.
    if (!hasIdentity(db)) return;
    const next = db.prepare<[number], { row: number; sha256: string }>(
      'SELECT position AS row, sha256 FROM digests WHERE position > ? ORDER BY position LIMIT 1',
    );
    const ids = db
      .prepare<[number, number], string>(
        'SELECT event_id FROM events WHERE position > ? AND position <= ? ORDER BY position',
      )
      .pluck();
    let before = next.get(-1);
    while (before !== undefined) {
      const kept = next.get(before.row);
      if (kept === undefined) {
        // Of what follows none is kept yet.
        yield step('digests', total, total, []);
        return;
      }
      const isKept = nextDigest(before.sha256, ids.all(before.row, kept.row)) === kept.sha256;
      const problem = `the running digest is not that of the events after ${toPosition(before.row)}: some of them are not those that were written`;
      const finding = { place: toPosition(kept.row), problem, isUnreadable: false };
      yield step('digests', kept.row, total, isKept ? [] : [finding]);
      before = kept;
      await nextTurn();
    }
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    yield step('digests', 0, total, [unreadable('the digests', error)]);
  }
}

async function* walk<Place extends string | StreamPlace>(
  phase: string,
  total: number,
  first: Place,
  nameOf: (place: Place) => string,
  prepared: () => (after: Place) => Slice<Place>,
): AsyncGenerator<InspectionStep, void> {
  let done = 0;
  let sum = 0;
  let place: Place | null = first;
  let slice: ((after: Place) => Slice<Place>) | undefined;
  while (place !== null) {
    const from: Place = place;
    try {
      // An index of another name is found out here.
      slice ??= prepared();
      const { next, positions, findings } = slice(from);
      done += positions.length;
      for (const position of positions) sum += position;
      place = next;
      yield step(phase, done, total, findings);
    } catch (error) {
      if (!isSqliteError(error)) throw error;
      yield step(phase, done, total, [
        unreadable(`the index of ${phase} after ${nameOf(from) || 'its beginning'}`, error),
      ]);
      return;
    }
    await nextTurn();
  }
  // Positions run from 1 without gaps: so many in number, and this in sum.
  if (done === total && sum === (total * (total + 1)) / 2) return;
  const problem = `it holds ${done} events, and the log ends at ${total}: an index and the table differ`;
  yield step(phase, done, total, [{ place: `the index of ${phase}`, problem, isUnreadable: false }]);
}

type StreamPlace = readonly [streamId: string, revision: number];

function streamSlices(db: Database, upTo: number): (after: StreamPlace) => Slice<StreamPlace> {
  const rows = db
    .prepare<[string, number, number, number], readonly [string, number, number]>(
      `SELECT stream_id, revision, position FROM events INDEXED BY sqlite_autoindex_events_1
       WHERE (stream_id, revision) > (?, ?) AND position <= ? ORDER BY stream_id, revision LIMIT ?`,
    )
    .raw();
  return ([streamId, revision]) => {
    const found = rows.all(streamId, revision, upTo, SLICE_ROWS);
    const findings: LogFinding[] = [];
    let before: StreamPlace = [streamId, revision];
    for (const [stream, at] of found) {
      const expected = stream === before[0] ? before[1] + 1 : 0;
      if (at !== expected && findings.length < MAX_FINDINGS_OF_SLICE)
        findings.push({
          place: stream,
          problem: `revision ${expected} is missing: ${at} comes in its place`,
          isUnreadable: false,
        });
      before = [stream, at];
    }
    const next = found.length < SLICE_ROWS ? null : before;
    return { next, positions: found.map(([, , position]) => position), findings };
  };
}

function idSlices(db: Database, upTo: number): (after: string) => Slice<string> {
  const rows = db
    .prepare<[string, number, number], readonly [string, number]>(
      `SELECT event_id, position FROM events INDEXED BY sqlite_autoindex_events_2
       WHERE event_id > ? AND position <= ? ORDER BY event_id LIMIT ?`,
    )
    .raw();
  return (after) => {
    const found = rows.all(after, upTo, SLICE_ROWS);
    const next = found.length < SLICE_ROWS ? null : (found.at(-1)?.[0] ?? null);
    return { next, positions: found.map(([, position]) => position), findings: [] };
  };
}

function step(
  phase: string,
  done: number,
  total: number | null,
  findings: readonly LogFinding[],
): InspectionStep {
  return { phase, done, total, findings };
}

function unreadable(place: string, error: unknown): LogFinding {
  return { place, problem: whyOf(error), isUnreadable: true };
}
