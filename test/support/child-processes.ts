/** Child processes of tests and benches: none outlives the process that started it, however that ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Its input is a pipe that we hold: at our end, be it a kill -9, that is closed, and it goes on. */
const WATCH = 'read -r _; kill -9 "$1"; [ -z "$2" ] || rm -rf -- "$2"';

/** @param folder its data, which go with it */
export function endWithUs(child: ChildProcess, folder = ''): void {
  // It did not start, which its `error` event tells.
  if (child.pid === undefined) return;
  // In a group of its own, so that what is sent to ours, as by Ctrl-C, does not end it first.
  const watcher = spawn('sh', ['-c', WATCH, 'sh', `${child.pid}`, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.unref();
  // Its pid is free for others from now on.
  child.once('exit', () => watcher.kill('SIGKILL'));
}

/** Sends it the signal, unless it has ended already; resolves with its exit code once it has. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.ref();
    child.kill(signal);
    await exited;
  }
  return child.exitCode;
}
