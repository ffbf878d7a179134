/**
 * All rows of a data set as they were at one position of the log. They are read page by page in the order of their last
 * changes, while others may write. A snapshot does not show what they write; for an engine without one see
 * walk-changing.ts.
 */
import type { ViewStore } from '../../projections/view-store.ts';
import type { RowsPlace } from './row-formats.ts';
import { liveGeneration, pagesOf, type Row, RowsMoved } from './row-pages.ts';
import { type ChangingSources, walkChanging } from './walk-changing.ts';

/** What walking takes of views, log and disk. */
export interface WalkedSources extends ChangingSources {
  readonly views: ChangingSources['views'] & Pick<ViewStore, 'snapshot'>;
}

/**
 * Rows in groups; retired ones may be among them.
 * @returns where the last change of a row stands; null without rows
 * @throws {RowsMoved} after all rows, or before
 */
export async function* walkRows(
  sources: WalkedSources,
  place: RowsPlace,
): AsyncGenerator<readonly Row[], string | null> {
  const { views } = sources;
  const snapshot = await views.snapshot?.(place.view);
  if (snapshot === undefined) return yield* walkChanging(sources, place);
  try {
    const live = await liveGeneration(views, place.view);
    if (snapshot.generation !== live.generation) throw new RowsMoved();
    let position: string | null = null;
    for await (const page of pagesOf((query) => snapshot.page(query), place)) {
      position = page.position ?? position;
      // Made from another log, whose positions mean nothing here.
      if (position !== null && live.checkpoint === null) throw new RowsMoved();
      yield page.rows;
    }
    return position;
  } finally {
    await snapshot.close();
  }
}
