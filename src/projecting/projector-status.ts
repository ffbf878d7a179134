/** What `projections status` and `/readyz` say of the views. */
import type { CollectionSpec, GenerationStatus, StuckAt } from '../../projections/view-store.ts';
import { type Movement, UNHEALTHY_AFTER_MS } from './view-progress.ts';

export type ViewState =
  /** Stands at the head of the log. */
  | 'current'
  | 'catching-up'
  /** It was never whole: nothing is served of it until it is. */
  | 'building'
  /** An older generation is served while this program's version is built beside it. */
  | 'rebuilding'
  | 'stuck'
  /** A newer program has built it: this one serves it and does not feed it. */
  | 'newer';

export interface ViewStatus {
  readonly view: string;
  readonly state: ViewState;
  /** Of the program, and of what is served. */
  readonly version: number;
  readonly liveVersion: number | null;
  readonly generation: number | null;
  readonly documents: number;
  readonly checkpoint: string | null;
  /** How long ago the checkpoint was last seen to move. */
  readonly idleMs: number;
  /** For how long the log has been ahead of a checkpoint that does not move. */
  readonly behindMs: number;
  readonly stuck: StuckAt | null;
  /** What is built, beside what is served or first of all. */
  readonly building: { readonly generation: number; readonly checkpoint: string | null } | null;
  /** Whether questions to it are answered: it has been whole once. */
  readonly isServed: boolean;
  /** Whether whoever keeps it does so: it moves where it has to, built first or later. */
  readonly isHealthy: boolean;
}

export function viewStatus(
  { name, version }: CollectionSpec,
  generations: readonly GenerationStatus[],
  head: string | null,
  { idleMs, behindMs }: Movement,
): ViewStatus {
  const { live, building } = generationsOf(name, version, generations);
  const stuck = live?.stuck ?? building?.stuck ?? null;
  const isFed = live?.version === version;
  return {
    view: name,
    state: stateOf(version, live, stuck, head),
    version,
    liveVersion: live?.version ?? null,
    generation: live?.generation ?? null,
    documents: live?.documents ?? 0,
    checkpoint: live?.checkpoint ?? null,
    idleMs,
    behindMs,
    stuck,
    building:
      building === undefined ? null : { generation: building.generation, checkpoint: building.checkpoint },
    isServed: live !== undefined,
    isHealthy: stuck === null && (!isFed || behindMs < UNHEALTHY_AFTER_MS),
  };
}

/** Whether nothing is left to do for the view up to this position: it is there, or stands still until a person acts. */
export function isDone(
  { name, version }: CollectionSpec,
  generations: readonly GenerationStatus[],
  head: string | null,
): boolean {
  const { live, building } = generationsOf(name, version, generations);
  if (building !== undefined) return building.stuck !== null;
  if (live === undefined) return false;
  return live.version > version || live.stuck !== null || (live.version === version && isAt(live, head));
}

/** Whether only a newer program can bring the view to this position: it has built what is served. */
export function isLeftToNewer(
  { name, version }: CollectionSpec,
  generations: readonly GenerationStatus[],
  head: string | null,
): boolean {
  const { live, building } = generationsOf(name, version, generations);
  return building === undefined && live !== undefined && live.version > version && !isAt(live, head);
}

function generationsOf(view: string, version: number, generations: readonly GenerationStatus[]) {
  const own = generations.filter((one) => one.view === view);
  return {
    live: own.find((one) => one.live),
    building: own.findLast((one) => !one.live && one.version === version),
  };
}

function stateOf(
  version: number,
  live: GenerationStatus | undefined,
  stuck: StuckAt | null,
  head: string | null,
): ViewState {
  if (stuck !== null) return 'stuck';
  if (live === undefined) return 'building';
  if (live.version > version) return 'newer';
  if (live.version < version) return 'rebuilding';
  return isAt(live, head) ? 'current' : 'catching-up';
}

function isAt({ checkpoint }: GenerationStatus, head: string | null): boolean {
  return head === null || (checkpoint !== null && checkpoint >= head);
}
