/** The worker behind queue.ts. */
import { workerData } from 'node:worker_threads';
import { leaseTable } from './lease-table.ts';
import { deliveryTable } from './queue-deliveries.ts';
import { openQueueFile } from './queue-file.ts';
import { markTable } from './queue-mark.ts';
import type { QueueCalls } from './queue-messages.ts';
import { taskTable } from './queue-tasks.ts';
import { serveCalls } from './serve-calls.ts';
import { touch } from './touch.ts';

// Only queue-thread.ts starts this worker, and it passes the path.
const path = workerData as string;

serveCalls(path, () => {
  const db = openQueueFile(path);
  const calls: QueueCalls = {
    ...taskTable(db),
    ...deliveryTable(db),
    ...leaseTable(db),
    ...markTable(db),
    checkWritable: () => touch(db),
  };
  return { db, calls };
});
