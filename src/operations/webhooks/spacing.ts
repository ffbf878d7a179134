/** Keeps what is sent at a caller's word apart in time, so that nobody is flooded in our name. Of one process, in memory. */

/** Between two tests of one endpoint, and between two repetitions of one message. */
export const SENT_AT_WORD_EVERY_MS = 5_000;
/** About 2 MB when full. What is forgotten for it may be sent at once, which errs on the side of letting through. */
const MAX_SPACED = 10_000;

/** Takes place for a command on a thing. Seconds until there is; 0: it may go, as a command that went before may again. */
export type Spacing = (thing: string, commandId: string, nowMs: number) => number;

export function createSpacing(everyMs: number, maxSpaced = MAX_SPACED): Spacing {
  const last = new Map<string, { readonly commandId: string; readonly atMs: number }>();
  return (thing, commandId, nowMs) => {
    const before = last.get(thing);
    if (before?.commandId === commandId) return 0;
    const passedMs = before === undefined ? everyMs : nowMs - before.atMs;
    // Less than nothing has passed where the clock was set back.
    if (passedMs >= 0 && passedMs < everyMs) return Math.ceil((everyMs - passedMs) / 1_000);
    // Those that were sent longest ago stand first.
    last.delete(thing);
    const [oldest] = last.size >= maxSpaced ? last.keys() : [];
    if (oldest !== undefined) last.delete(oldest);
    last.set(thing, { commandId, atMs: nowMs });
    return 0;
  };
}
