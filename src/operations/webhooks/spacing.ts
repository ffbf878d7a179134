/** Keeps what is sent at a caller's word apart in time, so that nobody is flooded in our name. Of one process, in memory. */
import { LRUCache } from 'lru-cache';

/** Between two tests of one endpoint, and between two repetitions of one message. */
export const SENT_AT_WORD_EVERY_MS = 5_000;
/** Things and commands, each: about 4 MB when full. What is forgotten for it may be sent at once, or has to wait once more. */
const MAX_SPACED = 10_000;

/** Takes place for a command on a thing. Seconds until there is; 0: it may go, as a command that went before may again. */
export type Spacing = (thing: string, commandId: string, nowMs: number) => number;

export function createSpacing(everyMs: number, maxSpaced = MAX_SPACED): Spacing {
  const lastAtMs = new LRUCache<string, number>({ max: maxSpaced });
  const went = new LRUCache<string, true>({ max: maxSpaced });
  return (thing, commandId, nowMs) => {
    const command = `${thing} ${commandId}`;
    if (went.has(command)) return 0;
    const passedMs = nowMs - (lastAtMs.peek(thing) ?? -Infinity);
    // Less than nothing has passed where the clock was set back.
    if (passedMs >= 0 && passedMs < everyMs) return Math.ceil((everyMs - passedMs) / 1_000);
    lastAtMs.set(thing, nowMs);
    went.set(command, true);
    return 0;
  };
}
