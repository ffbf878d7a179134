/** What imports work with, and who is behind them. */
import type { EventStore } from '../../events/event-store.ts';
import type { CommandRunner } from '../commanding/command-runner.ts';
import type { Blobs } from '../ports/blobs.ts';

export interface ImportServices {
  readonly events: EventStore;
  readonly commands: CommandRunner;
  readonly blobs: Blobs;
}

export interface ImportCause {
  readonly at: string;
  readonly actor: string;
  readonly requestId: string;
}
