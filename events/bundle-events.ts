/** What happens to a skill bundle: one stream `bundle-{slug}`. Files live elsewhere; the log pins their hashes. */
import { z } from 'zod';
import { agencyReferenceSchema } from './agent-listing.ts';
import { sha256, slug } from './common.ts';
import { defineEvent, type FactOf } from './event.ts';
import { line, prose, versionNumber } from './texts.ts';

/** A name other than `.` and `..`. */
const PART = String.raw`(?:[^\p{Cc}\\/.][^\p{Cc}\\/]*|\.[^\p{Cc}\\/.][^\p{Cc}\\/]*|\.\.[^\p{Cc}\\/]+)`;

/** A path inside a bundle: relative, forward slashes, no empty, `.` or `..` part: it cannot leave the bundle. */
export const bundlePath = z
  .string()
  .min(1)
  .max(400, 'must have at most 400 characters')
  .regex(
    new RegExp(`^${PART}(?:/${PART})*$`, 'u'),
    'must be a relative path that stays inside the bundle, without backslashes and control characters',
  );

export const manifestSchema = z.strictObject({
  /** Sorted by the bytes of their paths. */
  files: z
    .array(z.strictObject({ path: bundlePath, size: z.int().min(0), sha256 }))
    .min(1)
    .max(2_000),
  /** SHA-256 of the lines `<sha256>  <path>\n` in the order of the files. */
  rootHash: sha256,
});
export type Manifest = z.output<typeof manifestSchema>;

export const bundleProfileSchema = z.strictObject({
  name: line(80),
  tagline: line(160),
  description: prose(4_000),
  agency: agencyReferenceSchema,
  categories: z.array(slug).min(1).max(8),
  /** What an agent can do once it has the bundle. */
  skills: z
    .array(z.strictObject({ name: slug, description: line(300) }))
    .min(1)
    .max(64),
  /** SPDX identifier. */
  licence: z
    .string()
    .max(64)
    .regex(/^[A-Za-z0-9][A-Za-z0-9.+-]*$/, 'must be an SPDX identifier such as Apache-2.0'),
});
export type BundleProfile = z.output<typeof bundleProfileSchema>;

const bundle = 'month-end-close';

export const bundleEvents = [
  defineEvent({
    type: 'BundleVersionPublished',
    summary:
      'A version of a bundle was published with the hashes of its files; earlier versions stay readable.',
    data: z.strictObject({
      bundle: slug,
      version: versionNumber,
      previousVersion: versionNumber.nullable(),
      profile: bundleProfileSchema,
      manifest: manifestSchema,
    }),
    example: {
      bundle,
      version: '1.0.0',
      previousVersion: null,
      profile: {
        name: 'Month-end close',
        tagline: 'Checklists and scripts that close a month.',
        description: 'Skills for an agent that closes the books with an accountant.',
        agency: { slug: 'ledgerworks', name: 'Ledgerworks' },
        categories: ['finance'],
        skills: [{ name: 'accrual-review', description: 'Finds accruals that have no invoice yet.' }],
        licence: 'Apache-2.0',
      },
      manifest: {
        files: [
          {
            path: 'SKILL.md',
            size: 12,
            sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
          },
        ],
        rootHash: '97eda3c56f8cd2de9c7a3577a3b3b7a6c9e9b6ea5b1b4a2e4c8bd9f4f8f3a8c1',
      },
    },
  }),
  defineEvent({
    type: 'BundleRetired',
    summary: 'The bundle left the lists for good; mirrors drop it.',
    data: z.strictObject({ bundle: slug, agency: slug, name: line(80), reason: line(500) }),
    example: {
      bundle,
      agency: 'ledgerworks',
      name: 'Month-end close',
      reason: 'Superseded by quarter-close.',
    },
  }),
] as const;

export type BundleFact = FactOf<(typeof bundleEvents)[number]>;
