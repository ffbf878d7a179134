/** What passes between the event loop and the worker of queue.db. */
import type { LeaseTable } from './leases.ts';
import type { DeliveryTable } from './queue-deliveries.ts';
import type { MarkTable } from './queue-mark.ts';
import type { TaskTable } from './queue-tasks.ts';

/** Everything that can be asked of the file, by name. `get`, `list` and `count` are of deliveries. */
export type QueueCalls = TaskTable & DeliveryTable & LeaseTable & MarkTable & { checkWritable(): void };
export type QueueCall = keyof QueueCalls;

export interface QueueRequest {
  readonly call: QueueCall;
  readonly args: readonly unknown[];
}

/** The results of a batch in its order, committed together; or why nothing was done. */
export type QueueAnswer =
  | { readonly ok: true; readonly results: readonly unknown[] }
  | { readonly ok: false; readonly message: string };
