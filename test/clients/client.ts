/** What the script knows of a client: how it is made ready, and how it is run. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface Client {
  readonly name: string;
  /** Installs and compiles it. @throws {Skipped} it cannot be had on this machine */
  readonly prepare: (place: Place) => Promise<void>;
  /** Answers with what it printed. @throws when it failed */
  readonly run: (place: Place, env: Readonly<Record<string, string>>) => Promise<string>;
}

export interface Place {
  /** Its own folder, which holds a copy of its driver. */
  readonly folder: string;
  /** For what clients share, such as a virtual environment. */
  readonly shared: string;
}

export class Skipped extends Error {
  override readonly name = 'Skipped';
}

const DEADLINE_MS = 300_000;

/** Runs a program to its end and answers with what it printed. @throws with what it complained of */
export async function sh(
  cwd: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const options = {
      cwd,
      env: { ...process.env, ...env },
      timeout: DEADLINE_MS,
      maxBuffer: 64 * 1024 * 1024,
    };
    return (await promisify(execFile)(command, args, options)).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-25).join('\n');
    throw new Error(`${command} ${args.slice(0, 3).join(' ')} failed:\n${said}`, { cause: error });
  }
}

/** @throws {Skipped} there is no such program here */
export async function needs(program: string): Promise<void> {
  await promisify(execFile)('sh', ['-c', `command -v ${program}`]).catch(() => {
    throw new Skipped(`no ${program} on this machine`);
  });
}
