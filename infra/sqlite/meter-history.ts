/** What accounts used, as of the last time that the journal of meter.db was folded: read beside the counting. */
import type { Database } from 'better-sqlite3';
import type { HistoryBucket, HistoryGroup, HistoryQuestion, HistoryRow } from '../../src/ports/meter.ts';
import type { Connection } from './serve-calls.ts';

/** Where the rows of a bucket are, and when the bucket of a row begins. */
const BUCKETS = {
  hour: { table: 'hours', time: 'hour', start: 'hour' },
  day: { table: 'days', time: 'day', start: 'day' },
  month: {
    table: 'days',
    time: 'day',
    start: "CAST(strftime('%s', day / 1000, 'unixepoch', 'start of month') AS INTEGER) * 1000",
  },
} as const satisfies Record<HistoryBucket, object>;

const COLUMNS: Record<HistoryGroup, string> = { key: 'key_id', operation: 'operation' };

export type HistoryCalls = {
  readonly history: (question: HistoryQuestion) => readonly HistoryRow[];
};

export function historyConnection(db: Database): Connection & { readonly calls: HistoryCalls } {
  type Wanted = Pick<HistoryQuestion, 'accountId' | 'fromMs' | 'toMs' | 'limit'>;
  const calls: HistoryCalls = {
    // Asked so seldom that it is prepared anew.
    history({ bucket, groupBy, ...wanted }) {
      const { table, time, start } = BUCKETS[bucket];
      const select = db.prepare<Wanted, HistoryRow>(
        `SELECT ${start} AS startMs, ${COLUMNS[groupBy]} AS "group", sum(requests) AS requests FROM ${table}
         WHERE account_id = @accountId AND ${time} >= @fromMs AND ${time} < @toMs
         GROUP BY 1, 2 HAVING sum(requests) > 0 ORDER BY 1, 2 LIMIT @limit`,
      );
      return select.all(wanted);
    },
  };
  return { calls };
}
