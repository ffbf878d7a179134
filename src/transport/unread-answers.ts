/**
 * Answers that are not read. What a connection cannot take at once waits in our memory; it waits for so long at most,
 * and all of them together may hold so much. Whoever reads at an ordinary pace never meets either bound.
 */
import type { ServerResponse } from 'node:http';

export interface UnreadAnswers {
  /** Takes note of an answer that was written and is not all gone. */
  readonly hold: (res: ServerResponse) => void;
  /** What is held now. */
  readonly heldBytes: () => number;
}

export interface UnreadBounds {
  /** For any answer, and for a large one in addition what it takes at the slowest pace that is borne with. */
  readonly timeoutMs: number;
  readonly slowestBytesPerMs: number;
  /** Above it the answer that has waited longest goes, with its connection. */
  readonly maxBytes: number;
}

const BOUNDS: UnreadBounds = { timeoutMs: 20_000, slowestBytesPerMs: 16, maxBytes: 32 * 1_024 * 1_024 };

export function createUnreadAnswers(bounds: UnreadBounds = BOUNDS): UnreadAnswers {
  const { timeoutMs, slowestBytesPerMs, maxBytes } = bounds;
  /** In the order in which they began to wait. */
  const waiting = new Map<ServerResponse, number>();
  let total = 0;

  const release = (res: ServerResponse): void => {
    total -= waiting.get(res) ?? 0;
    waiting.delete(res);
  };
  const letGo = (res: ServerResponse): void => {
    release(res);
    // An answer that waits for the one before it on the same connection has no socket of its own yet.
    res.req.socket.destroy();
  };
  return {
    hold(res) {
      const bytes = res.writableLength;
      waiting.set(res, bytes);
      total += bytes;
      const timer = setTimeout(() => letGo(res), timeoutMs + bytes / slowestBytesPerMs);
      res.once('close', () => {
        clearTimeout(timer);
        release(res);
      });
      for (const oldest of waiting.keys()) {
        if (total <= maxBytes) return;
        letGo(oldest);
      }
    },
    heldBytes: () => total,
  };
}
