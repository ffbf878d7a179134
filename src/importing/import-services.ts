/** What imports work with, and who is behind them. */
import type { EventStore } from '../../events/event-store.ts';
import type { CommandRunner } from '../commanding/command-runner.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Queue } from '../ports/queue.ts';

export interface ImportServices {
  readonly events: EventStore;
  readonly commands: CommandRunner;
  readonly blobs: Blobs;
  readonly queue: Pick<Queue, 'add'>;
}

export interface ImportCause {
  readonly at: string;
  readonly actor: string;
  readonly requestId: string;
}
