import type { CollectionSpec, GenerationStatus, ViewStore } from '../../projections/view-store.ts';

/** Opens the views as a projector does that starts on an empty log: each is live at once. */
export async function openLive(
  views: ViewStore,
  specs: readonly CollectionSpec[],
): Promise<readonly GenerationStatus[]> {
  await views.open(specs);
  await views.beginLive(specs);
  return views.status();
}
