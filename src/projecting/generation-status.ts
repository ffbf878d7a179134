/**
 * The generations that the views have. On an empty log there is nothing to build a view from: it is served at once,
 * empty. Every other first generation is built like a later one, and goes live when it is whole.
 */
import type { GenerationStatus } from '../../projections/view-store.ts';
import type { ProjectorParts } from './projector-parts.ts';

type GenerationParts = Pick<ProjectorParts, 'store' | 'views' | 'projections'>;

/**
 * @throws {StoreUnavailable | ViewsUnavailable} also where a projection has other fields or orders than its version was
 *   built with
 */
export async function openViews(parts: GenerationParts): Promise<void> {
  await parts.views.open(parts.projections);
  await currentGenerations(parts);
}

/** @throws {StoreUnavailable | ViewsUnavailable} */
export async function currentGenerations({
  store,
  views,
  projections,
}: GenerationParts): Promise<readonly GenerationStatus[]> {
  const found = await views.status();
  const missing = projections.filter(({ name }) => !found.some((one) => one.live && one.view === name));
  if (missing.length === 0 || (await store.head()) !== null) return found;
  await views.beginLive(missing);
  return views.status();
}
