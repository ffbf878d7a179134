/** Two views of bundles: the current version of each, and every version there was. */
import { type BundleDocument, bundleDocument, bundleDocumentOf } from './bundle-document.ts';
import { defineProjection, touching } from './projection.ts';
import { wordsOf } from './words.ts';

export const BUNDLES = 'bundles';
export const BUNDLE_VERSIONS = 'bundle-versions';

/** The key of one version in the view of all versions: neither a slug nor a version holds an `@`. */
export function bundleVersionKey(slug: string, version: string): string {
  return `${slug}@${version}`;
}

export const bundles = defineProjection<BundleDocument>({
  name: BUNDLES,
  version: 1,
  summary: 'The current version of each bundle that is not retired.',
  schema: bundleDocument,
  fields: { nameKey: 'text', agency: 'text', categories: 'texts', publishedMs: 'integer' },
  orders: {
    name: [{ field: 'nameKey', direction: 'asc' }],
    '-publishedAt': [{ field: 'publishedMs', direction: 'desc' }],
    relevance: [{ field: 'nameKey', direction: 'asc' }],
  },
  on: {
    BundleVersionPublished: touching(
      (event) => event.data.bundle,
      (_, event) => bundleDocumentOf(event),
    ),
    BundleRetired: touching(
      (event) => event.data.bundle,
      () => undefined,
    ),
  },
  index: (doc) => ({
    nameKey: wordsOf(doc.name).join(' '),
    agency: doc.agency.slug,
    categories: doc.categories,
    publishedMs: Date.parse(doc.publishedAt),
  }),
  words: (doc) => [
    doc.name,
    [doc.tagline, ...doc.skills.map(({ name }) => name)].join(' '),
    doc.description,
    ...doc.skills.map(({ description }) => description),
  ],
});

export const bundleVersions = defineProjection<BundleDocument>({
  name: BUNDLE_VERSIONS,
  version: 1,
  summary: 'Every version of every bundle, also of retired ones.',
  schema: bundleDocument,
  fields: {},
  orders: {},
  on: {
    BundleVersionPublished: touching(
      (event) => bundleVersionKey(event.data.bundle, event.data.version),
      (_, event) => bundleDocumentOf(event),
    ),
  },
  index: () => ({}),
});
