/** Opens the log alone for one command, and closes it again: whoever audits needs no views and no queue. */
import type { EventStore } from '../../events/event-store.ts';
import { readConfig } from '../settings/config.ts';
import { openLogAt } from '../composition/engines.ts';
import { logPlaceOf } from '../composition/log-place.ts';
import { type CommandRunner, createCommandRunner } from '../commanding/command-runner.ts';
import { assertMarket } from './assert-market.ts';
import { type CliCall, newCall } from './new-call.ts';

export interface LogLine {
  readonly events: EventStore;
  readonly commands: CommandRunner;
  readonly call: CliCall;
}

/** @throws {StoreUnavailable} there is no log */
export async function withLog<Result>(work: (line: LogLine) => Promise<Result>): Promise<Result> {
  const config = readConfig();
  assertMarket(config);
  const { events, close } = await openLogAt(logPlaceOf(config), config);
  const call = newCall();
  try {
    return await work({ events, commands: createCommandRunner(events), call });
  } finally {
    await close();
  }
}
