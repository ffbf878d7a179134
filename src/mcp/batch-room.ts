/**
 * How large answers to batches may grow, each and all together: a batch is a small message whose answer can be a
 * thousand times as long, and the whole of it is in memory until it is written.
 */
import type { Refusal } from '../operations/refusals.ts';

export const MAX_CHARACTERS = 256 * 1_024;
export const MAX_CHARACTERS_IN_ALL = 8 * 1_024 * 1_024;

/** The room of one answer. */
export interface BatchRoom {
  readonly take: (characters: number) => void;
  /** What the next request of the batch is told when there is no room for its answer. */
  readonly refusal: () => Refusal | null;
  /** To be called when the answer is about to be written. */
  readonly leave: () => void;
}

export function createBatchRooms(): { readonly enter: () => BatchRoom } {
  let inAll = 0;
  return {
    enter() {
      let own = 0;
      return {
        take(characters) {
          own += characters;
          inAll += characters;
        },
        refusal() {
          if (own >= MAX_CHARACTERS) return FULL;
          return inAll >= MAX_CHARACTERS_IN_ALL ? BUSY : null;
        },
        // Answers are written at the end of this turn.
        leave() {
          if (own > 0) setImmediate(() => (inAll -= own));
        },
      };
    },
  };
}

const FULL: Refusal = {
  code: 'invalid_request',
  message: `The answer to this batch is full at ${MAX_CHARACTERS / 1_024} KiB: send this request by itself.`,
};
const BUSY: Refusal = {
  code: 'unavailable',
  message: 'Too many batches are being answered. Nothing was done; try again.',
  retryAfterSeconds: 1,
};
