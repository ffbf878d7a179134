/** What passes between the event loop and the worker of queue.db. */
import type { LeaseTable } from './lease-table.ts';
import type { DeliveryTable } from './queue-deliveries.ts';
import type { MarkTable } from './queue-mark.ts';
import type { TaskTable } from './queue-tasks.ts';

/** Everything that can be asked of the file, by name. `get`, `list` and `count` are of deliveries. */
export type QueueCalls = CallsOf<TaskTable & DeliveryTable & LeaseTable & MarkTable> & {
  readonly checkWritable: () => void;
};

/** An interface as the record of its methods. */
type CallsOf<Table> = { readonly [Name in keyof Table]: Table[Name] };
