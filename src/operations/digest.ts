/** The directory as one text, made now and then and not for each reader. */

export interface Digest {
  /** The text, not older than six hours. */
  readonly current: () => Promise<string>;
  /** Makes it anew. */
  readonly renew: () => Promise<string>;
}

const SIX_HOURS_MS = 6 * 60 * 60 * 1_000;

/** `make` is told when it is, RFC 3339; `now` gives Unix milliseconds. */
export function createDigest(make: (at: string) => Promise<string>, now: () => number): Digest {
  let kept: { readonly text: Promise<string>; readonly madeMs: number } | undefined;

  /** Whoever comes while it is being made waits for the same; a failed one is not kept. */
  function renew(): Promise<string> {
    const madeMs = now();
    const text = make(new Date(madeMs).toISOString());
    kept = { text, madeMs };
    return text.catch((error: unknown) => {
      if (kept?.text === text) kept = undefined;
      throw error;
    });
  }

  return {
    renew,
    current: () => (kept !== undefined && now() - kept.madeMs < SIX_HOURS_MS ? kept.text : renew()),
  };
}
