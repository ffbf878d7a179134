/** Who is behind what a command does: whoever typed it, each time with a request of its own. */
import { randomUUID } from 'node:crypto';
import type { CommandCall } from '../commanding/command-call.ts';

export interface CliCall extends CommandCall {
  readonly actor: 'cli';
}

export function newCall(): CliCall {
  return {
    at: new Date().toISOString(),
    actor: 'cli',
    requestId: `cli-${randomUUID()}`,
    commandId: randomUUID(),
  };
}
