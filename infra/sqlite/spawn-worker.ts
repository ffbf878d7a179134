/** Starts a worker from a module that lies beside its caller, in `dist` and in the work tree alike. */
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** `name` without its ending, such as `./queue-worker`. */
export function spawnWorker(name: string, workerData: unknown): Worker {
  if (import.meta.url.endsWith('.js'))
    return new Worker(new URL(`${name}.js`, import.meta.url), { workerData });
  // Tests and development run the TypeScript itself, and tsx does so in the main thread alone unless it is asked.
  const entry = JSON.stringify(fileURLToPath(new URL(`${name}.ts`, import.meta.url)));
  const script = `require('node:module').createRequire(${entry})('tsx/cjs/api').register(); require(${entry});`;
  return new Worker(script, { eval: true, workerData });
}
