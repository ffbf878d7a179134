/** For a program that npx runs: it stands in a shell that passes no signal on and leaves it behind when it is ended. */

const LOOK_EVERY_MS = 500;

/** From now on the end of the parent process is a SIGTERM to this one. Keeps no process alive. */
export function stopWithParent(): void {
  const parent = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(looking);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_EVERY_MS).unref();
}
