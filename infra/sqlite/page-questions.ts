/** What the event loop and the worker that finds pages say to each other. */
import type { CollectionSpec, Page, PageQuery } from '../../projections/view-store.ts';

export interface PageQuestion {
  readonly view: string;
  readonly query: PageQuery;
  /** What this program knows of the view; undefined where nothing. */
  readonly today: CollectionSpec | undefined;
}

export interface FoundPage {
  readonly page: Page;
  /** The one that was live when it was found. */
  readonly generation: number;
  readonly tookMs: number;
}

export type PageAnswer =
  | { readonly kind: 'found'; readonly found: FoundPage }
  | { readonly kind: 'being-built' }
  | { readonly kind: 'unavailable' | 'bug'; readonly message: string };
