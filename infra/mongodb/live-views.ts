/**
 * The generations that are read. Another process may swap one at any time: a page looks first, and a document is looked
 * for again where it is not found, or when the last look was a moment ago.
 */
import {
  type CollectionSpec,
  type Page,
  type PageQuery,
  ViewBeingBuilt,
  ViewsUnavailable,
} from '../../projections/view-store.ts';
import type { MongoLink } from './connection.ts';
import type { GenerationRow, Registry } from './registry.ts';
import { type StoredDocument, viewLayout } from './view-layout.ts';
import { type ViewPages, viewPages } from './view-pages.ts';

/** How long documents are read without asking whether another process has swapped their generation. */
const LOOK_EVERY_MS = 100;

export function liveViews(link: MongoLink, registry: Registry) {
  const { db, ask, maxTimeMS } = link;
  const declared = new Map<string, CollectionSpec>();
  const pages = new Map<string, { readonly generation: number; readonly pages: ViewPages }>();
  let live = new Map<string, number>();
  let looking: Promise<void> | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  const look = async (): Promise<void> => {
    const startedAtMs = performance.now();
    const rows = (await registry.read()).filter((row) => row.live);
    live = new Map(rows.map((row) => [row.view, row.generation]));
    lookedAtMs = startedAtMs;
  };
  const lookTogether = (): Promise<void> => (looking ??= look().finally(() => (looking = undefined)));
  const missing = (view: string): Error =>
    declared.has(view) ? new ViewBeingBuilt(view) : new RangeError(`there is no view ${view}`);
  const liveOf = (view: string): number => {
    const generation = live.get(view);
    if (generation === undefined) throw missing(view);
    return generation;
  };
  const jsonIn = async (generation: number, key: string): Promise<string | undefined> => {
    const collection = db.collection<StoredDocument>(`view_${generation}`);
    const found = await ask(() =>
      collection.findOne({ _id: key }, { projection: { _id: 0, json: 1 }, maxTimeMS }),
    );
    return found?.json;
  };
  const pagesOf = async ({ view, generation }: GenerationRow): Promise<ViewPages> => {
    const known = pages.get(view);
    if (known?.generation === generation) return known.pages;
    const spec = await registry.specOf(generation);
    if (spec === undefined) throw new ViewsUnavailable(`${view} is being swapped`);
    const made = viewPages(link, viewLayout(generation, spec));
    pages.set(view, { generation, pages: made });
    return made;
  };
  const rowOf = async (view: string): Promise<GenerationRow> => {
    const row = (await registry.read(view)).find((one) => one.live);
    if (row === undefined) throw missing(view);
    return row;
  };
  const pageIn = async (now: GenerationRow, query: PageQuery): Promise<Page> =>
    (await pagesOf(now)).page(query, now, declared.get(now.view));

  return {
    /** What this program knows of the collections, which may be more than their live generations do. */
    declare(specs: readonly CollectionSpec[]): void {
      for (const spec of specs) declared.set(spec.name, spec);
    },
    /** To be looked at anew before the next document is read. */
    forget: (): void => void (lookedAtMs = Number.NEGATIVE_INFINITY),
    async json(view: string, key: string): Promise<string | undefined> {
      if (!live.has(view) || performance.now() - lookedAtMs >= LOOK_EVERY_MS) await lookTogether();
      const generation = liveOf(view);
      const json = await jsonIn(generation, key);
      if (json !== undefined) return json;
      await look();
      const now = liveOf(view);
      return now === generation ? undefined : jsonIn(now, key);
    },
    async page(view: string, query: PageQuery): Promise<Page> {
      for (;;) {
        const now = await rowOf(view);
        const [outcome] = await Promise.allSettled([pageIn(now, query)]);
        if (outcome.status === 'fulfilled' && outcome.value.next !== null) return outcome.value;
        // Of a generation that was swapped meanwhile the last rows are missing, or all.
        if ((await rowOf(view)).generation !== now.generation) continue;
        if (outcome.status === 'fulfilled') return outcome.value;
        throw outcome.reason;
      }
    },
  };
}
