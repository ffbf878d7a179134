import { z } from 'zod';
import { bundleDocument } from '../../../projections/bundle-document.ts';
import { BUNDLE_MANIFESTS, bundleVersionKey } from '../../../projections/bundles.ts';
import { defineOperation } from '../operation.ts';
import { exampleBundle } from './example-market.ts';
import { bundleSlugInput, directoryRead, storedDocument, versionInput } from './fields.ts';

export const getBundle = defineOperation({
  ...directoryRead,
  name: 'getBundle',
  summary: 'One bundle with the manifest of its files.',
  description:
    'The manifest is what `sha256sum` prints for the files in the order of their paths’ bytes; `rootHash` is the ' +
    'SHA-256 of those lines. Earlier versions stay readable, also when the bundle is retired.',
  input: z.strictObject({ slug: bundleSlugInput, version: versionInput }),
  output: bundleDocument,
  refusals: ['not_found'],
  example: { input: { slug: exampleBundle.slug }, output: exampleBundle },
  async run({ slug, version }, _call, { views }) {
    const key = version === undefined ? slug : bundleVersionKey(slug, version);
    return storedDocument(views, BUNDLE_MANIFESTS, key, 'bundle');
  },
});
