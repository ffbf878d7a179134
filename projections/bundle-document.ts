/** A version of a bundle as it is served, with the manifest by which its files can be checked. */
import { z } from 'zod';
import type { DomainEvent } from '../events/catalog.ts';
import {
  agencyField,
  categoriesField,
  nullableTextField,
  sha256Field,
  slugField,
  textField,
  timeField,
} from './public-fields.ts';

const manifestDocument = z
  .strictObject({
    files: z
      .array(
        z.strictObject({
          path: textField('Relative to the bundle.', 'SKILL.md'),
          size: z.int().min(0).meta({ description: 'Bytes.', example: 1_204 }),
          sha256: sha256Field('SHA-256 of the file, in hexadecimal.'),
        }),
      )
      .meta({ description: 'Every file, sorted by the bytes of its path.' }),
    rootHash: sha256Field(
      'SHA-256 of the lines `<sha256>  <path>` in the order of the files, each ended by a line feed: what `sha256sum` prints, hashed.',
    ),
  })
  .meta({ id: 'Manifest', description: 'What a bundle consists of.' });

const profileFields = {
  slug: slugField('month-end-close', 'Its name in addresses; never changes.'),
  name: textField('Its name.', 'Month-end close'),
  tagline: textField('What it is for, in a line.', 'Checklists and scripts that close a month.'),
  description: textField(
    'What it is for, in full. Plain text.',
    'Skills for an agent that closes the books with an accountant.',
  ),
  agency: agencyField,
  categories: categoriesField,
  skills: z
    .array(
      z.strictObject({
        name: slugField('accrual-review', 'The skill’s name.'),
        description: textField('What it does.', 'Finds accruals that have no invoice yet.'),
      }),
    )
    .meta({ description: 'What an agent can do once it has the bundle.' }),
  licence: textField('SPDX identifier.', 'Apache-2.0'),
  version: textField('The version that this is about.', '1.1.0'),
};

const publishedAt = timeField('When this version was published.');

/** What a list shows: a manifest may name thousands of files, so that only its hash and its size stand here. */
export const bundleSummary = z
  .strictObject({
    ...profileFields,
    fileCount: z.int().min(1).meta({ description: 'How many files it has.', example: 7 }),
    sizeBytes: z.int().min(0).meta({ description: 'Their sizes, summed.', example: 18_204 }),
    rootHash: manifestDocument.shape.rootHash,
    publishedAt,
  })
  .meta({
    id: 'BundleSummary',
    description: 'The current version of a skill bundle, without its file list.',
  });
export type BundleSummary = z.output<typeof bundleSummary>;

export const bundleDocument = z
  .strictObject({
    ...profileFields,
    previousVersion: nullableTextField(
      'The version before, readable with ?version=; null for the first.',
      '1.0.0',
    ),
    manifest: manifestDocument,
    publishedAt,
  })
  .meta({ id: 'Bundle', description: 'A version of a skill bundle.' });
export type BundleDocument = z.output<typeof bundleDocument>;

type Published = Extract<DomainEvent, { type: 'BundleVersionPublished' }>;

export function bundleSummaryOf({ data, at }: Published): BundleSummary {
  const { files, rootHash } = data.manifest;
  return {
    slug: data.bundle,
    ...data.profile,
    version: data.version,
    fileCount: files.length,
    sizeBytes: files.reduce((sum, { size }) => sum + size, 0),
    rootHash,
    publishedAt: at,
  };
}

export function bundleDocumentOf({ data, at }: Published): BundleDocument {
  const { bundle, version, previousVersion, profile, manifest } = data;
  return { slug: bundle, ...profile, version, previousVersion, manifest, publishedAt: at };
}
