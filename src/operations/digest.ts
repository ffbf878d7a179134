/** The directory as one text, made now and then and not for each reader. */

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
  let kept: { readonly made: Promise<MadeDigest>; readonly madeMs: number } | undefined;

  /** Whoever comes while it is being made waits for the same; a failed one is not kept. */
  function renew(): Promise<MadeDigest> {
    const madeMs = now();
    const madeAt = new Date(madeMs).toISOString();
    const made = make(madeAt).then((text) => ({ text, madeAt }));
    kept = { made, madeMs };
    made.catch(() => {
      if (kept?.made === made) kept = undefined;
    });
    return made;
  }

  function latest(): Promise<MadeDigest> {
    return kept !== undefined && now() - kept.madeMs < SIX_HOURS_MS ? kept.made : renew();
  }

  return {
    renew,
    current: async () => (await latest()).text,
  };
}
