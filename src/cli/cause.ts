/** Who is behind what a command does: whoever typed it, each time with a request of its own. */
import { randomUUID } from 'node:crypto';

export interface Cause {
  /** When the command was given, RFC 3339. */
  readonly at: string;
  readonly actor: 'cli';
  readonly requestId: string;
}

export function newCause(): Cause {
  return { at: new Date().toISOString(), actor: 'cli', requestId: `cli-${randomUUID()}` };
}
