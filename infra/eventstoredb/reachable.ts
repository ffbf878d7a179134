/** Waits until a server can be reached again, without the client, which would wait ever longer between its tries. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Host {
  readonly host: string;
  readonly port: number;
}

/** With jitter from half of it, since an outage is noticed by all processes of an installation at once. */
const LOOK_EVERY_MS = 500;
const LOOK_DEADLINE_MS = 1_000;

/**
 * The first of the lists of which a host accepts connections, looked at in their order again and again, each time after
 * a pause. Undefined when the signal is aborted.
 * @param pause waits for so many ms, or until the signal is aborted
 */
export async function firstReachable(
  lists: readonly (readonly Host[])[],
  signal: AbortSignal,
  pause: typeof rest = rest,
): Promise<readonly Host[] | undefined> {
  for (;;) {
    await pause((LOOK_EVERY_MS / 2) * (1 + Math.random()), signal);
    if (signal.aborted) return undefined;
    for (const hosts of lists)
      if ((await Promise.all(hosts.map(isReachable))).some((isThere) => isThere)) return hosts;
  }
}

/** Unlike one who waits for an answer it keeps no process alive. It ends early only when nobody waits any more. */
export async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => {});
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
