/** Which categories and countries there are: the filters of a list name them all, whatever it shows at the time. */
import type { ViewStore } from '../../../projections/view-store.ts';
import { listedAgencies, listedAgents, listedBundles } from './listings.ts';

export interface KnownWords {
  readonly agentCategories: () => Promise<readonly string[]>;
  readonly bundleCategories: () => Promise<readonly string[]>;
  readonly countries: () => Promise<readonly string[]>;
}

/** So many listings are looked through, at most once a minute. */
const LOOKED_AT = 5_000;
const KEPT_MS = 60_000;

export function createKnownWords(views: ViewStore, now: () => number): KnownWords {
  function wordsOf<Listed>(
    list: (views: ViewStore, most: number) => Promise<Listed[]>,
    words: (listed: Listed) => string | readonly string[],
  ) {
    return keptFor(KEPT_MS, now, async () =>
      [...new Set((await list(views, LOOKED_AT)).flatMap(words))].sort(),
    );
  }
  return {
    agentCategories: wordsOf(listedAgents, ({ categories }) => categories),
    bundleCategories: wordsOf(listedBundles, ({ categories }) => categories),
    countries: wordsOf(listedAgencies, ({ country }) => country),
  };
}

/** The same answer for a while; who asks while it is looked up waits for that. */
function keptFor<Answer>(
  keptMs: number,
  now: () => number,
  look: () => Promise<Answer>,
): () => Promise<Answer> {
  let kept: { readonly answer: Promise<Answer>; readonly untilMs: number } | undefined;
  return () => {
    if (kept !== undefined && now() < kept.untilMs) return kept.answer;
    const made = { answer: look(), untilMs: now() + keptMs };
    made.answer.catch(() => {
      if (kept === made) kept = undefined;
    });
    kept = made;
    return made.answer;
  };
}
