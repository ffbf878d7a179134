/** The Leases port in queue.db: the event loop's side, which asks the worker that writes the file. */
import { type Leases, LeasesUnavailable } from '../../src/ports/leases.ts';
import type { QueueThread } from './queue-thread.ts';

export function sqliteLeases(thread: QueueThread): Leases {
  return {
    take: (name, holder, ttlMs) => thread.ask('takeLease', name, holder, ttlMs).catch(unavailable),
    release: (name, holder) => thread.ask('releaseLease', name, holder).catch(unavailable),
  };
}

function unavailable(error: Error): never {
  throw new LeasesUnavailable(error.message);
}
