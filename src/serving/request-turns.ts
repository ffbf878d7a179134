/**
 * Requests that come at once share the event loop by turns of addresses: of all that have come, some are begun in each
 * of its rounds, and the others wait for the next. Whoever asks on hundreds of connections holds up its own.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRounds } from '../ports/rotation.ts';
import { clientKey } from '../transport/client-address.ts';
import type { Connections } from './connections.ts';

export type Answer = (req: IncomingMessage, res: ServerResponse) => void;

/** Less than a millisecond of cheap requests. */
export const REQUESTS_A_ROUND = 32;
/**
 * Of one address. Without pipelining it has no more than connections; with it, a piece of 64 KiB that is read from one
 * of them holds two thousand requests.
 */
export const MOST_WAITING = 1_024;
/** Of one address, from all that was read of its connections before they were paused: who sends more is let go. */
export const TOO_MANY_WAITING = 4 * MOST_WAITING;

/** The same, each request in its turn. */
export function inTurns(
  answer: Answer,
  connections: Pick<Connections, 'pause' | 'resume'>,
  trustProxyHops: number,
): Answer {
  const rounds = createRounds(REQUESTS_A_ROUND);
  /** How many requests wait, by address. */
  const waiting = new Map<string, number>();

  function count(address: string, change: 1 | -1): void {
    const now = (waiting.get(address) ?? 0) + change;
    if (now === 0) waiting.delete(address);
    else waiting.set(address, now);
    // What it sends beyond them waits with the kernel, and so with whoever sends it.
    if (now >= MOST_WAITING) connections.pause(address);
    else if (now <= MOST_WAITING / 2) connections.resume(address);
  }

  return (req, res) => {
    if (rounds.take()) return answer(req, res);
    const address = clientKey(req, trustProxyHops);
    // What node has read of a connection it hands over to the end, also once nobody waits for it.
    if (req.socket.destroyed) return;
    if ((waiting.get(address) ?? 0) >= TOO_MANY_WAITING) {
      req.socket.destroy();
      return;
    }
    count(address, 1);
    rounds.wait(address, () => {
      count(address, -1);
      // Nobody waits for the answer any more, and nothing was begun.
      if (!req.socket.destroyed) answer(req, res);
    });
  };
}
