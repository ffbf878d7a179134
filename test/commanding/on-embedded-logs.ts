/** Tests of commands that hold on each log within the process, one after another. */
import type { EventStore } from '../../events/event-store.ts';
import { type CommandRunner, createCommandRunner } from '../../src/commanding/command-runner.ts';
import { embeddedLogs, type LogPlace } from '../support/event-logs.ts';

export interface OpenedLog {
  readonly store: EventStore;
  readonly runner: CommandRunner;
  /** A runner that knows nothing of the others, as another process has it. */
  readonly anotherRunner: () => Promise<CommandRunner>;
}

/** @param define the tests; what it is given is open while they run */
export function describeOnEmbeddedLogs(what: string, define: (opened: () => OpenedLog) => void): void {
  for (const [name, openPlace] of Object.entries(embeddedLogs)) {
    describe(`${what} on the log in ${name}`, () => {
      let place: LogPlace;
      let opened: OpenedLog;
      before(async () => {
        place = await openPlace();
        const store = await place.connect();
        opened = {
          store,
          runner: createCommandRunner(store),
          anotherRunner: async () => createCommandRunner(await place.connect()),
        };
      });
      after(() => place.dispose());
      define(() => opened);
    });
  }
}
