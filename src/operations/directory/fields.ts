/** What operations that read the directory have in common. */
import { slug } from '../../../events/common.ts';
import { versionNumber } from '../../../events/texts.ts';
import type { ViewStore } from '../../../projections/view-store.ts';
import { type Outcome, StoredJson } from '../operation.ts';
import { refuse } from '../refusals.ts';

export const agentSlugInput = slug.meta({ description: 'The agent’s slug.', example: 'invoice-matcher' });
export const bundleSlugInput = slug.meta({ description: 'The bundle’s slug.', example: 'month-end-close' });
export const agencySlugInput = slug.meta({ description: 'The agency’s slug.', example: 'ledgerworks' });

export const categoryFilter = slug
  .optional()
  .meta({ description: 'Only what is for this.', example: 'finance' });
export const agencyFilter = slug
  .optional()
  .meta({ description: 'Only what this agency provides.', example: 'ledgerworks' });

export const versionInput = versionNumber
  .optional()
  .meta({ description: 'An earlier version; the current one when left out.', example: '1.0' });

/** Anybody may read the directory. Caches keep it for seconds: scores and suspensions should spread soon. */
export const directoryRead = { tag: 'directory', kind: 'query', scope: null, cacheSeconds: 30 } as const;

/** A document as it is stored, or the no that there is none at this key. */
export async function storedDocument(
  views: ViewStore,
  view: string,
  key: string,
  what: string,
): Promise<Outcome<never>> {
  const text = await views.getJson(view, key);
  return text === undefined ? nothingAt(what, key) : { ok: true, data: new StoredJson(text) };
}

export function nothingAt(what: string, slugs: string) {
  return refuse('not_found', `there is no ${what} ${slugs}`);
}

export const digestNote =
  'Its `digest` is the SHA-256 of the document without `digest` in RFC 8785 canonical JSON.';
