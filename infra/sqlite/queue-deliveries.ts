/** What is done with the deliveries of queue.db (queue-calls.ts). */
import type { Database } from 'better-sqlite3';
import type { Delivery, DeliveryLog } from '../../src/ports/delivery-log.ts';
import type { Synchronous } from './call-thread.ts';

export type DeliveryCalls = Synchronous<DeliveryLog>;

/** A row as the delivery that it is. */
const SELECT = `
  SELECT id, account_id AS accountId, endpoint_id AS endpointId, event_id AS eventId, type, job_id AS jobId, url, body,
    created_at AS createdAt, state, attempts, last_attempt_at AS lastAttemptAt, last_status AS lastStatus,
    last_error AS lastError, next_attempt_at AS nextAttemptAt
  FROM deliveries`;

const PRUNE_AT_ONCE = 5_000;

export function deliveryCalls(db: Database): DeliveryCalls {
  const insert = db.prepare(
    `INSERT INTO deliveries
       (id, account_id, endpoint_id, event_id, type, job_id, url, body, created_at, state, next_attempt_at)
     VALUES (@id, @accountId, @endpointId, @eventId, @type, @jobId, @url, @body, @createdAt, 'pending', @createdAt)
     ON CONFLICT DO NOTHING`,
  );
  const update = db.prepare(
    `UPDATE deliveries SET state = @state, attempts = attempts + @tries, last_attempt_at = iif(@tries, @at, last_attempt_at),
       last_status = @status, last_error = @error, next_attempt_at = @nextAttemptAt WHERE id = @deliveryId`,
  );
  const failed = db
    .prepare<[string, string], string>(
      `INSERT INTO failing_endpoints VALUES (?, ?) ON CONFLICT DO UPDATE SET since = since RETURNING since`,
    )
    .pluck();
  const recovered = db.prepare<[string]>('DELETE FROM failing_endpoints WHERE endpoint_id = ?');
  const byId = db.prepare<[string], Delivery>(`${SELECT} WHERE id = ?`);
  const newest = db.prepare<[string, string, string, string, number], Delivery>(
    `${SELECT} WHERE account_id = ? AND endpoint_id = ? AND (created_at, id) < (?, ?)
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
      update.run({ ...attempt, tries: isTried ? 1 : 0 });
      if (!isTried) return null;
      if (state !== 'delivered') return failed.get(endpointId, at) ?? at;
      recovered.run(endpointId);
      return null;
    },
    get: (id) => byId.get(id) ?? null,
    list({ accountId, endpointId, limit, after }) {
      // '~' sorts after every character of a time.
      const { createdAt, id } = after ?? { createdAt: '~', id: '' };
      return newest.all(accountId, endpointId, createdAt, id, limit);
    },
    count: ({ accountId, endpointId }) => count.get(accountId, endpointId) ?? 0,
    prune: (before) => void prune.run(before, PRUNE_AT_ONCE),
  };
}
