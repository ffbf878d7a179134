/** What is done with the deliveries of queue.db; each call runs inside a transaction of its caller. */
import type { Database } from 'better-sqlite3';
import type {
  Attempt,
  DeliveriesOf,
  Delivery,
  DeliveryQuestion,
  DeliveryState,
  NewDelivery,
} from '../../src/ports/delivery-log.ts';

export interface DeliveryTable {
  begin(deliveries: readonly NewDelivery[]): void;
  record(attempt: Attempt): string | null;
  get(id: string): Delivery | null;
  list(question: DeliveryQuestion): readonly Delivery[];
  count(of: DeliveriesOf): number;
  prune(before: string): void;
}

interface DeliveryRow {
  readonly id: string;
  readonly account_id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly type: string;
  readonly job_id: string | null;
  readonly url: string;
  readonly body: string;
  readonly created_at: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly last_attempt_at: string | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly next_attempt_at: string | null;
}

const PRUNE_AT_ONCE = 5_000;

export function deliveryTable(db: Database): DeliveryTable {
  const insert = db.prepare(
    `INSERT INTO deliveries
       (id, account_id, endpoint_id, event_id, type, job_id, url, body, created_at, state, next_attempt_at)
     VALUES (@id, @accountId, @endpointId, @eventId, @type, @jobId, @url, @body, @createdAt, 'pending', @createdAt)
     ON CONFLICT DO NOTHING`,
  );
  const update = db.prepare(
    `UPDATE deliveries SET state = @state, attempts = attempts + 1, last_attempt_at = @at, last_status = @status,
       last_error = @error, next_attempt_at = @nextAttemptAt WHERE id = @deliveryId`,
  );
  const failed = db
    .prepare<[string, string], string>(
      `INSERT INTO failing_endpoints VALUES (?, ?) ON CONFLICT DO UPDATE SET since = since RETURNING since`,
    )
    .pluck();
  const recovered = db.prepare<[string]>('DELETE FROM failing_endpoints WHERE endpoint_id = ?');
  const byId = db.prepare<[string], DeliveryRow>('SELECT * FROM deliveries WHERE id = ?');
  const newest = db.prepare<[string, string, string, string, number], DeliveryRow>(
    `SELECT * FROM deliveries WHERE account_id = ? AND endpoint_id = ? AND (created_at, id) < (?, ?)
     ORDER BY created_at DESC, id DESC LIMIT ?`,
  );
  const count = db
    .prepare<[string, string], number>(
      'SELECT count(*) FROM deliveries WHERE account_id = ? AND endpoint_id = ?',
    )
    .pluck();
  const prune = db.prepare<[string, number]>(
    'DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE created_at < ? LIMIT ?)',
  );

  return {
    begin(deliveries) {
      for (const delivery of deliveries) insert.run(delivery);
    },
    record(attempt) {
      const { endpointId, at, isTried, state } = attempt;
      update.run(attempt);
      if (!isTried) return null;
      if (state !== 'delivered') return failed.get(endpointId, at) ?? at;
      recovered.run(endpointId);
      return null;
    },
    get(id) {
      const row = byId.get(id);
      return row === undefined ? null : deliveryOf(row);
    },
    list({ accountId, endpointId, limit, after }) {
      // '~' sorts after every character of a time.
      const { createdAt, id } = after ?? { createdAt: '~', id: '' };
      return newest.all(accountId, endpointId, createdAt, id, limit).map(deliveryOf);
    },
    count({ accountId, endpointId }) {
      return count.get(accountId, endpointId) ?? 0;
    },
    prune(before) {
      prune.run(before, PRUNE_AT_ONCE);
    },
  };
}

function deliveryOf(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    accountId: row.account_id,
    endpointId: row.endpoint_id,
    eventId: row.event_id,
    type: row.type,
    jobId: row.job_id,
    url: row.url,
    body: row.body,
    createdAt: row.created_at,
    state: row.state,
    attempts: row.attempts,
    lastAttemptAt: row.last_attempt_at,
    lastStatus: row.last_status,
    lastError: row.last_error,
    nextAttemptAt: row.next_attempt_at,
  };
}
