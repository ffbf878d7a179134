/** Doubles for tests, and logs on them with deadlines short enough to wait for. */
import { StoreUnavailable } from '../../../events/event-store.ts';
import {
  type EventStoreDbLog,
  type EventStoreDbOptions,
  openEventStoreDb,
} from '../../../infra/eventstoredb/event-store.ts';
import {
  type DoubleOptions,
  type EventStoreDouble,
  startEventStoreDouble,
} from '../../support/eventstoredb/double.ts';
import { systemEvent } from '../../support/eventstoredb/ledger.ts';

/** Long enough for a busy machine to answer, where an answer is to come. */
export const DEADLINE_MS = 400;
export const PREFIX = 'bourse.';
/** Of somebody else in the same database. */
export const OTHERS_STREAM = 'others-1';

export interface Logs {
  readonly startDouble: (options?: DoubleOptions) => Promise<EventStoreDouble>;
  readonly open: (url: string, prefix?: string, deadlineMs?: number) => Promise<EventStoreDbLog>;
  /** Before a server is stopped that is none of these doubles. */
  readonly closeAll: () => Promise<void>;
}

/** For a `describe`: after each of its tests the logs are closed and then the doubles stopped. */
export function logsOn(
  usualDeadlineMs = DEADLINE_MS,
  options: Pick<EventStoreDbOptions, 'search'> = {},
): Logs {
  const opened: EventStoreDbLog[] = [];
  const started: EventStoreDouble[] = [];
  const closeAll = async (): Promise<void> => {
    for (const log of opened.splice(0)) await log.close();
  };
  afterEach(async () => {
    for (const { faults } of started) faults.clear();
    await closeAll();
    for (const double of started.splice(0)) await double.stop();
  });
  return {
    async startDouble(options) {
      const double = await startEventStoreDouble(options);
      started.push(double);
      return double;
    },
    async open(url, prefix = PREFIX, deadlineMs = usualDeadlineMs) {
      // Deadlines are short here, and a busy machine may not keep one at a start, which a supervisor would try again.
      for (let tries = 1; ; tries += 1) {
        try {
          const log = await openEventStoreDb({ ...options, url, prefix, deadlineMs });
          opened.push(log);
          return log;
        } catch (error) {
          if (tries === 3 || !(error instanceof StoreUnavailable)) throw error;
        }
      }
    },
    closeAll,
  };
}

export function storeOthers({ ledger }: EventStoreDouble, count: number): void {
  ledger.store(
    OTHERS_STREAM,
    Array.from({ length: count }, () => systemEvent('TheirsHappened', {})),
  );
}
