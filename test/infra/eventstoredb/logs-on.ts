/** Opens logs on a double, with deadlines short enough to wait for, and closes them after each test. */
import { type EventStoreDbLog, openEventStoreDb } from '../../../infra/eventstoredb/event-store.ts';

/** Long enough for a busy machine to answer, where an answer is to come. */
export const DEADLINE_MS = 400;
export const PREFIX = 'bourse.';

export interface Logs {
  readonly open: (url: string, prefix?: string) => Promise<EventStoreDbLog>;
  readonly closeAll: () => Promise<void>;
}

export function logsOn(deadlineMs = DEADLINE_MS): Logs {
  const opened: EventStoreDbLog[] = [];
  return {
    async open(url, prefix = PREFIX) {
      const log = await openEventStoreDb({ url, prefix, deadlineMs });
      opened.push(log);
      return log;
    },
    async closeAll() {
      for (const log of opened.splice(0)) await log.close();
    },
  };
}
