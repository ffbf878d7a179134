import { z } from 'zod';
import { bundleDocument } from '../../../projections/bundle-document.ts';
import { BUNDLE_MANIFESTS, bundleVersionKey } from '../../../projections/bundles.ts';
import { defineOperation, StoredJson } from '../operation.ts';
import { exampleBundle } from './example-market.ts';
import { bundleSlugInput, DIRECTORY_CACHE_SECONDS, nothingAt, versionInput } from './fields.ts';

export const getBundle = defineOperation({
  name: 'getBundle',
  summary: 'One bundle with the manifest of its files.',
  description:
    'The manifest is what `sha256sum` prints for the files in the order of their paths’ bytes; `rootHash` is the ' +
    'SHA-256 of those lines. Earlier versions stay readable, also when the bundle is retired.',
  tag: 'directory',
  kind: 'query',
  scope: null,
  input: z.strictObject({ slug: bundleSlugInput, version: versionInput }),
  output: bundleDocument,
  refusals: ['not_found'],
  cacheSeconds: DIRECTORY_CACHE_SECONDS,
  example: { input: { slug: exampleBundle.slug }, output: exampleBundle },
  async run({ slug, version }, _call, { views }) {
    const key = version === undefined ? slug : bundleVersionKey(slug, version);
    const text = await views.getJson(BUNDLE_MANIFESTS, key);
    return text === undefined ? nothingAt('bundle', key) : { ok: true, data: new StoredJson(text) };
  },
});
