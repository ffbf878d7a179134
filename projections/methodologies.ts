/** The view of the methodology: each version by its number, and the one in force as `current`. */
import { publishedMethodology } from '../events/methodology-document.ts';
import { type MethodologyDocument, methodologyDocument } from './methodology-document.ts';
import { defineProjection } from './projection.ts';

export const METHODOLOGIES = 'methodologies';

/** The key of the version in force; no version number reads so. */
export const CURRENT_METHODOLOGY = 'current';

export const methodologies = defineProjection<MethodologyDocument>({
  name: METHODOLOGIES,
  version: 1,
  summary: 'Every version of the methodology, and the one in force.',
  schema: methodologyDocument,
  fields: { publishedMs: 'integer' },
  orders: { '-publishedAt': [{ field: 'publishedMs', direction: 'desc' }] },
  on: {
    MethodologyPublished: {
      keys: (event) => [event.data.methodology.version, CURRENT_METHODOLOGY],
      apply: (_, event) => ({ ...publishedMethodology(event.data.methodology, event.at) }),
    },
  },
  index: (doc) => ({ publishedMs: Date.parse(doc.publishedAt) }),
});
