/** Answers that are kept. Whoever asks while one is looked up waits for the same; one that failed is not kept. */

export interface Kept<Answer> {
  readonly current: () => Promise<Answer>;
  /** Looks it up anew. */
  readonly renew: () => Promise<Answer>;
}

/** For so long since it was asked for. */
export function keptFor<Answer>(
  keptMs: number,
  now: () => number,
  look: () => Promise<Answer>,
): Kept<Answer> {
  let kept: { readonly answer: Promise<Answer>; readonly untilMs: number } | undefined;
  const renew = (): Promise<Answer> => {
    const made = { untilMs: now() + keptMs, answer: look() };
    made.answer.catch(() => {
      if (kept === made) kept = undefined;
    });
    kept = made;
    return made.answer;
  };
  return {
    current: () => (kept !== undefined && now() < kept.untilMs ? kept.answer : renew()),
    renew,
  };
}

/** For good. */
export function keptOnce<Answer>(look: () => Promise<Answer>): () => Promise<Answer> {
  return keptFor(Infinity, Date.now, look).current;
}
