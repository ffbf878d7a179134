/** Waits until a server can be reached again, without the client, which would wait ever longer between its tries. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface Host {
  readonly host: string;
  readonly port: number;
}

/** With jitter from half of it, as all processes of an installation look at once. */
export const LOOK_EVERY_MS = 500;
const LOOK_DEADLINE_MS = 1_000;

/**
 * The first of the lists of which a host accepts connections, looked at in their order again and again. Undefined when
 * the signal is aborted.
 */
export async function firstReachable(
  lists: readonly (readonly Host[])[],
  signal: AbortSignal,
): Promise<readonly Host[] | undefined> {
  while (!signal.aborted) {
    for (const hosts of lists)
      if ((await Promise.all(hosts.map(isReachable))).some((isThere) => isThere)) return hosts;
    await rest(jittered(LOOK_EVERY_MS), signal);
  }
  return undefined;
}

/** Between half of it and all of it. */
export function jittered(ms: number): number {
  return (ms / 2) * (1 + Math.random());
}

/** Unlike one who waits for an answer it keeps no process alive. It ends early only when nobody waits any more. */
export async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal, ref: false }).catch(() => {});
}

async function isReachable(to: Host): Promise<boolean> {
  const socket = connect(to);
  socket.unref();
  socket.on('error', () => {});
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(LOOK_DEADLINE_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
