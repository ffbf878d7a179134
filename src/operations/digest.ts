/** The directory as one text, made now and then and not for each reader. */
import { keptFor } from '../timing/kept.ts';

export interface Digest {
  /** The text, not older than six hours. */
  readonly current: () => Promise<string>;
  /** Makes it anew. */
  readonly renew: () => Promise<MadeDigest>;
}

export interface MadeDigest {
  readonly text: string;
  /** RFC 3339, as the text itself says. */
  readonly madeAt: string;
}

const SIX_HOURS_MS = 6 * 60 * 60 * 1_000;

/** `make` is told when it is, RFC 3339; `now` gives Unix milliseconds. */
export function createDigest(make: (at: string) => Promise<string>, now: () => number): Digest {
  const { current, renew } = keptFor(SIX_HOURS_MS, now, async () => {
    const madeAt = new Date(now()).toISOString();
    return { text: await make(madeAt), madeAt };
  });
  return { renew, current: async () => (await current()).text };
}
