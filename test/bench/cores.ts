/** The server has one core and the load another, so that neither lives off the other. */
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

const SERVER_CORE = '0';
const LOAD_CORE = '1';

/** Why nothing is pinned; undefined where it is. */
export const unpinned: string | undefined = whyUnpinned();

/** The command line that runs node on the server's core. */
export function onServerCore(args: readonly string[]): [command: string, args: string[]] {
  if (unpinned !== undefined) return [process.execPath, [...args]];
  return ['taskset', ['-c', SERVER_CORE, process.execPath, ...args]];
}

/** Moves this process, with all its threads, to the core of the load. */
export function moveToLoadCore(): void {
  if (unpinned === undefined) execFileSync('taskset', ['-a', '-c', '-p', LOAD_CORE, String(process.pid)]);
}

function whyUnpinned(): string | undefined {
  if (availableParallelism() < 2) return 'this machine has a single core';
  try {
    execFileSync('taskset', ['--version']);
    return undefined;
  } catch {
    return 'there is no taskset here';
  }
}
