/**
 * Which engine stands behind each port, as the settings choose. The one file that imports adapters: everything else
 * knows the ports.
 */
import { join } from 'node:path';
import type { Checkpoints } from '../events/checkpoints.ts';
import type { EventStore } from '../events/event-store.ts';
import { createFolderBlobs } from '../infra/folder/blobs.ts';
import { createMemoryLeases } from '../infra/memory/leases.ts';
import { createMemoryLimiter } from '../infra/memory/limiter.ts';
import { createTestPayments } from '../infra/memory/payments.ts';
import { makeDataFolder } from '../infra/sqlite/data-folder.ts';
import { openSqliteLog } from '../infra/sqlite/event-store.ts';
import { openSqliteQueue } from '../infra/sqlite/queue.ts';
import { openSqliteViewStore } from '../infra/sqlite/view-store.ts';
import { createFetcher } from '../infra/undici/fetcher.ts';
import type { ViewStore } from '../projections/view-store.ts';
import type { Config } from './config.ts';
import type { Blobs } from './ports/blobs.ts';
import type { DeliveryLog } from './ports/delivery-log.ts';
import type { Fetcher } from './ports/fetcher.ts';
import type { Leases } from './ports/leases.ts';
import type { Limiter } from './ports/limiter.ts';
import type { Payments } from './ports/payments.ts';
import type { Queue } from './ports/queue.ts';

export interface Engines {
  readonly events: EventStore;
  /** Of those who follow the log, kept where the log is kept: its positions mean nothing elsewhere. */
  readonly checkpoints: Checkpoints;
  readonly views: ViewStore;
  readonly queue: Queue;
  readonly deliveries: DeliveryLog;
  readonly leases: Leases;
  readonly blobs: Blobs;
  readonly payments: Payments;
  readonly fetcher: Fetcher;
  readonly createLimiter: (windowSeconds: number) => Limiter;
  /** Where the log is, for people to see. */
  readonly logPlace: string;
  /** To be called when nothing uses them any more. */
  readonly close: () => Promise<void>;
}

/** @throws {StoreUnavailable | ViewsUnavailable | QueueUnavailable} an engine cannot be used; the message says why */
export async function openEngines(config: Config): Promise<Engines> {
  await makeDataFolder(config.dataDir);
  const logPlace = join(config.dataDir, 'bourse.db');
  const viewsFile = join(config.dataDir, 'views.db');
  const log = await openSqliteLog({ path: logPlace, maintain: [viewsFile] });
  const views = openSqliteViewStore(viewsFile);
  const { queue, deliveries, leases } = openSqliteQueue(join(config.dataDir, 'queue.db'));
  const fetcher = createFetcher();
  return {
    events: log.store,
    checkpoints: log.checkpoints,
    views,
    queue,
    deliveries,
    // Alone it waits for nobody, also after it was killed. Another beside it does no harm: see runners/projector.ts.
    leases: config.role === 'all' ? createMemoryLeases() : leases,
    blobs: await openBlobs(config),
    payments: createTestPayments(),
    fetcher,
    createLimiter: createMemoryLimiter,
    logPlace,
    async close() {
      await queue.close();
      await fetcher.close();
      await views.close();
      await log.close();
    },
  };
}

/** The SDK of S3 is large: it is loaded only where it is needed. */
async function openBlobs({ dataDir, artifactsBucket }: Config): Promise<Blobs> {
  if (artifactsBucket === undefined) return createFolderBlobs(join(dataDir, 'artifacts'));
  const { createS3Blobs } = await import('../infra/s3/blobs.ts');
  return createS3Blobs(artifactsBucket);
}
