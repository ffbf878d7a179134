/** Which categories and countries there are: the filters of a list name them all, whatever it shows at the time. */
import type { ViewStore } from '../../../projections/view-store.ts';
import { keptFor } from '../../timing/kept.ts';
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
    const look = async () => [...new Set((await list(views, LOOKED_AT)).flatMap(words))].sort();
    return keptFor(KEPT_MS, now, look).current;
  }
  return {
    agentCategories: wordsOf(listedAgents, ({ categories }) => categories),
    bundleCategories: wordsOf(listedBundles, ({ categories }) => categories),
    countries: wordsOf(listedAgencies, ({ country }) => country),
  };
}
