/** Two views of bundles: what lists show of each, and each version with its manifest. */
import {
  type BundleDocument,
  bundleDocument,
  bundleDocumentOf,
  type BundleSummary,
  bundleSummary,
  bundleSummaryOf,
} from './bundle-document.ts';
import { defineProjection, on } from './projection.ts';
import { sortableName } from './words.ts';

export const BUNDLES = 'bundles';
export const BUNDLE_MANIFESTS = 'bundle-manifests';

/** The key of one version; the current one also has the slug alone. Neither a slug nor a version holds an `@`. */
export function bundleVersionKey(slug: string, version: string): string {
  return `${slug}@${version}`;
}

export const bundles = defineProjection<BundleSummary>({
  name: BUNDLES,
  version: 2,
  summary: 'The current version of each bundle that is not retired.',
  schema: bundleSummary,
  fields: { nameKey: 'text', agency: 'text', categories: 'texts', publishedMs: 'integer' },
  orders: {
    name: [{ field: 'nameKey', direction: 'asc' }],
    '-publishedAt': [{ field: 'publishedMs', direction: 'desc' }],
    relevance: [{ field: 'nameKey', direction: 'asc' }],
  },
  on: {
    BundleVersionPublished: on('bundle', (_, event) => bundleSummaryOf(event)),
    BundleRetired: on('bundle', () => undefined),
  },
  index: (doc) => ({
    nameKey: sortableName(doc.name),
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

export const bundleManifests = defineProjection<BundleDocument>({
  name: BUNDLE_MANIFESTS,
  version: 1,
  summary: 'Every version of every bundle with its manifest; the current one of each that is not retired.',
  schema: bundleDocument,
  on: {
    BundleVersionPublished: {
      keys: ({ data }) => [data.bundle, bundleVersionKey(data.bundle, data.version)],
      apply: (_, event) => bundleDocumentOf(event),
    },
    BundleRetired: on('bundle', () => undefined),
  },
});
