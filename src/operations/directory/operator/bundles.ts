import { exampleOf } from '../../../../events/catalog.ts';
import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { agencySlugInput, bundleSlugInput } from '../fields.ts';
import { answerChange, exampleChange } from '../writing/answer-change.ts';
import * as changes from '../writing/changes.ts';
import { bundleFields, reasonField } from '../writing/change-inputs.ts';
import { operatorChange } from './shared.ts';

const { bundle: slug, version, profile, manifest } = exampleOf('BundleVersionPublished');

export const publishBundleVersion = defineOperation({
  ...operatorChange,
  name: 'publishBundleVersion',
  summary: 'Publish a version of a bundle by the hashes of its files.',
  description:
    'A version never changes: the same again changes nothing, other content needs a newer version.',
  input: z.strictObject({ slug: bundleSlugInput, agency: agencySlugInput, ...bundleFields }),
  example: {
    input: { slug, version, ...profile, agency: profile.agency.slug, files: manifest.files },
    output: exampleChange('BundleVersionPublished'),
  },
  run: ({ slug: bundle, version: number, files, ...fields }, call, services) =>
    answerChange(services, call, changes.publishBundleVersion(bundle, number, fields, files), {
      by: 'BundleVersionPublished',
      address: `/bundles/${bundle}?version=${number}`,
    }),
});

export const retireBundle = defineOperation({
  ...operatorChange,
  name: 'retireBundle',
  summary: 'Take a bundle out of the lists for good.',
  description: 'Its versions stay readable by their number.',
  input: z.strictObject({ slug: bundleSlugInput, reason: reasonField }),
  example: {
    input: { slug, reason: 'Superseded by quarter-close.' },
    output: exampleChange('BundleRetired'),
  },
  run: (input, call, services) =>
    answerChange(
      services,
      call,
      changes.changeBundle(input.slug, { type: 'RetireBundle', reason: input.reason }),
    ),
});
