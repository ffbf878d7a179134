/** Once an hour, on one node: the model catalogue is renewed from the router. Where that fails, within minutes again. */
import { randomInt, randomUUID } from 'node:crypto';
import type { TaskKind } from '../background/task-runner.ts';
import type { ImportServices } from '../importing/import-services.ts';
import { syncModels, type UsedAnswer } from '../importing/sync-models.ts';
import type { Log } from '../logging/log.ts';
import { type Fetcher, NotRenewed } from '../ports/fetcher.ts';

const EVERY_MS = 60 * 60 * 1_000;
/** So that not all markets ask at the same minute. */
const MAX_JITTER_MS = 5 * 60 * 1_000;

export function renewModels(
  services: ImportServices,
  fetcher: Pick<Fetcher, 'get'>,
  url: string,
  log: Pick<Log, 'info' | 'warn'>,
): TaskKind {
  // What another node has used is not known here: it is asked for whole then.
  let used: UsedAnswer | null = null;
  return {
    name: 'sync-models',
    concurrency: 1,
    leaseMs: 10 * 60_000,
    retry: { firstPauseMs: 60_000, maxPauseMs: 10 * 60_000, giveUpAfterMs: Infinity },
    async run(_task, { nowMs, retryAtMs, signal }) {
      const cause = {
        at: new Date(nowMs).toISOString(),
        actor: 'scheduler',
        requestId: `sync-${randomUUID()}`,
      };
      const outcome = await syncModels(services, { fetcher, url, used, cause, signal });
      switch (outcome.kind) {
        case 'synced': {
          used = outcome.used;
          const { report } = outcome;
          if (report !== null) {
            const { counts, missingKept, refused, odd } = report;
            const level = refused.length + odd.length > 0 ? 'warn' : 'info';
            log[level](
              { counts, missingKept, refused: refused.slice(0, 10), odd: odd.slice(0, 10) },
              'models renewed',
            );
          }
          return { kind: 'repeat', atMs: nowMs + EVERY_MS + randomInt(MAX_JITTER_MS) };
        }
        case 'degraded': {
          const { reason, detail, retryAfterMs } = outcome;
          const error = new NotRenewed(`${reason}: ${detail}`);
          const atMs = retryAfterMs === null ? null : retryAtMs(Math.min(retryAfterMs, EVERY_MS));
          return atMs === null ? { kind: 'retry', error } : { kind: 'retry', error, atMs };
        }
        case 'stopped':
          return { kind: 'later', atMs: nowMs };
      }
    },
  };
}
