/**
 * What this process has seen of documents at the step where their generation stands: it spares asking for them before
 * each commit. What another process writes moves the step, and then nothing is known any more.
 */
import { type Change, type Presence, presenceAfter } from './document-changes.ts';

/** Of one generation: more than one commit of a rebuild has. */
const MAX_SEEN = 10_000;

interface Seen {
  step: number;
  readonly documents: Map<string, Presence>;
}

export interface PresenceCache {
  readonly at: (generation: number, step: number) => ReadonlyMap<string, Presence>;
  /** @param step where the generation stood before they were looked at */
  readonly loaded: (generation: number, step: number, documents: ReadonlyMap<string, Presence>) => void;
  /** This process has applied the step. */
  readonly applied: (generation: number, step: number, changes: readonly Change[]) => void;
  /** Of others nothing need be known any more. */
  readonly keepOnly: (kept: ReadonlyMap<number, unknown>) => void;
}

const NOTHING: ReadonlyMap<string, Presence> = new Map();

export function createPresenceCache(): PresenceCache {
  const generations = new Map<number, Seen>();
  const keep = ({ documents }: Seen, key: string, presence: Presence): void => {
    // Seen last, forgotten last.
    documents.delete(key);
    documents.set(key, presence);
    const [first] = documents.size > MAX_SEEN ? documents.keys() : [];
    if (first !== undefined) documents.delete(first);
  };
  const seenAt = (generation: number, step: number): Seen => {
    const known = generations.get(generation);
    if (known?.step === step) return known;
    const seen = { step, documents: new Map<string, Presence>() };
    generations.set(generation, seen);
    return seen;
  };

  return {
    at: (generation, step) => {
      const known = generations.get(generation);
      return known?.step === step ? known.documents : NOTHING;
    },
    loaded(generation, step, documents) {
      if ((generations.get(generation)?.step ?? step) > step) return;
      const seen = seenAt(generation, step);
      for (const [key, presence] of documents) keep(seen, key, presence);
    },
    applied(generation, step, changes) {
      const seen = seenAt(generation, step - 1);
      seen.step = step;
      for (const change of changes) {
        const before = seen.documents.get(change.key);
        // A removal of what was never seen may have left something or nothing.
        if (before !== undefined || change.content !== null) {
          keep(seen, change.key, presenceAfter(change, before ?? 'absent'));
        }
      }
    },
    keepOnly(kept) {
      for (const generation of generations.keys()) if (!kept.has(generation)) generations.delete(generation);
    },
  };
}
