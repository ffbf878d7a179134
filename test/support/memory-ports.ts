/** The ports beside log and views, in memory. */
import { createMemoryBlobs } from '../../infra/memory/blobs.ts';
import { createMemoryDeliveryLog } from '../../infra/memory/delivery-log.ts';
import { createMemoryLimiter } from '../../infra/memory/limiter.ts';
import { createTestPayments } from '../../infra/memory/payments.ts';
import { createMemoryQueue } from '../../infra/memory/queue.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { Services } from '../../src/operations/services.ts';
import { createStreamWatch } from '../../src/runners/stream-watch.ts';
import { jobEvents } from '../../events/job-events.ts';

type Ports = Pick<Services, 'jobWatch' | 'payments' | 'blobs' | 'queue' | 'deliveries' | 'recordLimiter'>;

export function memoryPorts(events: EventStore): Ports {
  return {
    jobWatch: createStreamWatch(
      events,
      jobEvents.map(({ type }) => type),
    ),
    payments: createTestPayments(),
    blobs: createMemoryBlobs(),
    queue: createMemoryQueue(),
    deliveries: createMemoryDeliveryLog(),
    recordLimiter: createMemoryLimiter(60),
  };
}
