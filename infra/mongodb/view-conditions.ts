/** The conditions of a page as MongoDB's filters. Equality and ranges of indexed values only, and so are words. */
import type { Document } from 'mongodb';
import type { Condition, PageQuery } from '../../projections/view-store.ts';

export interface Conditions {
  /** The same for the same conditions: counts are remembered by it. */
  readonly id: string;
  readonly filters: readonly Document[];
}

export function filterConditions(filter: PageQuery['filter']): Conditions {
  const entries = Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    id: JSON.stringify(entries),
    filters: entries.map(([field, condition]) => ({ [`fields.${field}`]: comparison(condition) })),
  };
}

/** All words are found within this band: each is the beginning of a word that stands in it or in a better one. */
export function wordConditions(words: readonly string[], band: number): Conditions {
  const bands = Array.from({ length: band + 1 }, (_, i) => i);
  return {
    id: `words ${band} ${words.join(' ')}`,
    // Words are letters and digits: nothing in them means anything else in a pattern.
    filters: words.map((word) => ({ words: { $in: bands.map((one) => new RegExp(`^${one}${word}`)) } })),
  };
}

export function both(a: Conditions, b: Conditions): Conditions {
  return { id: `${a.id}\n${b.id}`, filters: [...a.filters, ...b.filters] };
}

/** The first and not the second. */
export function without(a: Conditions, b: Conditions): Conditions {
  return { id: `${a.id}\nnot ${b.id}`, filters: [...a.filters, { $nor: [allOf(b)] }] };
}

export function allOf({ filters }: Conditions, ...more: readonly Document[]): Document {
  return { $and: [...filters, ...more] };
}

function comparison(condition: Condition): Document {
  if (typeof condition !== 'object') return { $eq: condition };
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = condition;
  return { $gte: min, $lte: max };
}
