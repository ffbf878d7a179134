/** The command line as an operator types it: each command in a process of its own. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { rejectionOf } from './rejection.ts';
import type { Settings } from './served-market.ts';
import { BOURSE } from './shipped-program.ts';

/** As execFile tells of a command that ends with another code than 0. */
const failure = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });

export interface BourseCommand {
  /** What it printed. @throws when it ends with another code than 0 */
  readonly run: (...args: readonly string[]) => Promise<string>;
  /** How it ended and what it printed. @throws when it ends with 0 */
  readonly refused: (...args: readonly string[]) => Promise<z.infer<typeof failure>>;
}

export function bourseOn(settings: Settings): BourseCommand {
  const run: BourseCommand['run'] = async (...args) => {
    const env = { ...process.env, ...settings };
    return (await promisify(execFile)(process.execPath, [BOURSE, ...args], { env })).stdout;
  };
  return { run, refused: async (...args) => failure.parse(await rejectionOf(run(...args))) };
}
