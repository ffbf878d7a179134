import { exampleOf } from '../../../../events/catalog.ts';
import { z } from 'zod';
import { agencySlugInput, bundleSlugInput } from '../fields.ts';
import { exampleChange, operatorChange } from '../writing/answer-change.ts';
import * as changes from '../writing/changes.ts';
import { bundleFields, reasonField } from '../writing/change-inputs.ts';

const { bundle: slug, version, profile, manifest } = exampleOf('BundleVersionPublished');

export const publishBundleVersion = operatorChange({
  name: 'publishBundleVersion',
  summary: 'Publish a version of a bundle by the hashes of its files.',
  description:
    'A version never changes: the same again changes nothing, other content needs a newer version.',
  input: z.strictObject({ slug: bundleSlugInput, agency: agencySlugInput, ...bundleFields }),
  example: {
    input: { slug, version, ...profile, agency: profile.agency.slug, files: manifest.files },
    output: exampleChange('BundleVersionPublished'),
  },
  change: ({ slug: bundle, version: number, files, ...fields }) =>
    changes.publishBundleVersion(bundle, number, fields, files),
  created: (input) => ({
    by: 'BundleVersionPublished',
    address: `/bundles/${input.slug}?version=${input.version}`,
  }),
});

export const retireBundle = operatorChange({
  name: 'retireBundle',
  summary: 'Take a bundle out of the lists for good.',
  description: 'Its versions stay readable by their number.',
  input: z.strictObject({ slug: bundleSlugInput, reason: reasonField }),
  example: {
    input: { slug, reason: 'Superseded by quarter-close.' },
    output: exampleChange('BundleRetired'),
  },
  change: ({ slug, reason }) => changes.changeBundle(slug, { type: 'RetireBundle', reason }),
});
