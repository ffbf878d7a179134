/** Which generations a program should feed, begin and drop, given those there are. */
import type { CollectionSpec, GenerationStatus } from '../../projections/view-store.ts';

export interface GenerationPlan<Spec> {
  readonly follow: readonly { readonly spec: Spec; readonly generation: GenerationStatus }[];
  /** They have no live generation, or an older version's, and nobody is building one of this version or a newer. */
  readonly begin: readonly Spec[];
  readonly drop: readonly GenerationStatus[];
}

/**
 * A live generation of today's version is fed, and so is the newest one that is built beside it. A generation that is
 * newer than this program belongs to a newer one, which runs beside it or did: hands off, or each would drop what the
 * other begins.
 */
export function planGenerations<Spec extends CollectionSpec>(
  specs: readonly Spec[],
  generations: readonly GenerationStatus[],
): GenerationPlan<Spec> {
  const follow: { spec: Spec; generation: GenerationStatus }[] = [];
  const begin: Spec[] = [];
  const drop: GenerationStatus[] = [];
  for (const spec of specs) {
    const own = generations.filter((one) => one.view === spec.name);
    const live = own.find((one) => one.live);
    const beside = own.filter((one) => !one.live).sort((a, b) => b.generation - a.generation);
    const building = beside.find((one) => one.version === spec.version);
    drop.push(...beside.filter((one) => one !== building && one.version <= spec.version));
    if (live?.version === spec.version) follow.push({ spec, generation: live });
    if (building !== undefined) follow.push({ spec, generation: building });
    else if (own.every((one) => one.version < spec.version)) begin.push(spec);
  }
  return { follow, begin, drop };
}
