/**
 * A checkpoint is a position of one log. In another log the same place is after the same event: the last one that the
 * checkpoint covers, since it may itself stand where no event of interest is.
 */
import type { Checkpoints } from '../../events/checkpoints.ts';

export interface TranslatedCheckpoint {
  readonly name: string;
  readonly source: string;
  /** Null: nothing that is in the log was covered yet. */
  readonly target: string | null;
}

export interface CheckpointTranslation {
  /** To be told of every event, in order. */
  readonly pass: (sourcePosition: string, targetPosition: string) => void;
  readonly translated: () => readonly TranslatedCheckpoint[];
}

/** Those of `names` that are kept; a name without one has no place to translate. */
export async function translateCheckpoints(
  kept: Checkpoints,
  names: readonly string[],
): Promise<CheckpointTranslation> {
  const all: { readonly name: string; readonly source: string; target: string | null }[] = [];
  for (const name of names) {
    const source = await kept.get(name);
    if (source !== null) all.push({ name, source, target: null });
  }
  return {
    pass(sourcePosition, targetPosition) {
      for (const one of all) if (sourcePosition <= one.source) one.target = targetPosition;
    },
    translated: () => all,
  };
}

/** Keeps them with the target; none that stands further already is moved back. */
export async function keepCheckpoints(
  kept: Checkpoints,
  translated: readonly TranslatedCheckpoint[],
): Promise<void> {
  for (const { name, target } of translated) {
    if (target === null) continue;
    const last = await kept.get(name);
    if (last === null || last < target) await kept.set(name, target);
  }
}
