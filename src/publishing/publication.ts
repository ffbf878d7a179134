/**
 * A publication: what a file says the directory shall hold. Files are declarative: publishing one again changes
 * nothing, publishing a changed one changes what differs.
 */
import { z } from 'zod';
import { agencyProfileSchema } from '../../events/agency-events.ts';
import { assessmentSchema, evidenceSchema } from '../../events/agent-events.ts';
import { listingSchema } from '../../events/agent-listing.ts';
import { bundleProfileSchema } from '../../events/bundle-events.ts';
import { slug } from '../../events/common.ts';
import { methodologySchema } from '../../events/methodology-events.ts';
import { line, versionNumber } from '../../events/texts.ts';
import { dayOrTime } from '../operations/schemas/any-time.ts';
import { linkAddress } from '../operations/schemas/link-address.ts';

const evidenceEntry = evidenceSchema.extend({
  url: linkAddress.optional(),
  issuedAt: dayOrTime,
  expiresAt: dayOrTime.optional(),
});

const link = linkAddress.optional();
const agentLinks = z.strictObject({ homepage: link, documentation: link, mcp: link, a2aCard: link });
const agencyLinks = z.strictObject({ homepage: link, support: link, status: link });

const assessmentEntry = assessmentSchema.extend({
  evidence: assessmentSchema.shape.evidence.default([]),
  note: assessmentSchema.shape.note.default(null),
});

const reason = line(500);

const agentEntry = listingSchema.extend({
  slug,
  agency: slug,
  integrations: listingSchema.shape.integrations.default([]),
  links: agentLinks.default({}),
  evidence: z.array(evidenceEntry).max(200).default([]),
  assessments: z.array(assessmentEntry).max(100).default([]),
});

/** Evidence and findings about an agent that is listed already, or by this very file. */
const verificationEntry = z.strictObject({
  agent: slug,
  evidence: agentEntry.shape.evidence,
  assessments: agentEntry.shape.assessments,
});

const retirementEntry = z.union([
  z.strictObject({ agent: slug, reason }),
  z.strictObject({ bundle: slug, reason }),
]);

const agencyEntry = agencyProfileSchema.extend({
  slug,
  links: agencyLinks.default({}),
});

const bundleEntry = bundleProfileSchema.extend({
  slug,
  agency: slug,
  version: versionNumber,
  /** The folder of its files, relative to the file that says so. */
  folder: z
    .string()
    .min(1)
    .max(400)
    .refine((path) => !path.split(/[\\/]/).includes('..') && !/^([\\/]|[A-Za-z]:)/.test(path), {
      message: 'must be a folder beside or below this file',
    }),
});

export const publicationSchema = z
  .strictObject({
    methodologies: z.array(methodologySchema).max(50).default([]),
    agencies: z.array(agencyEntry).max(1_000).default([]),
    agents: z.array(agentEntry).max(5_000).default([]),
    bundles: z.array(bundleEntry).max(1_000).default([]),
    verifications: z.array(verificationEntry).max(5_000).default([]),
    suspensions: z
      .array(z.strictObject({ agent: slug, reason }))
      .max(1_000)
      .default([]),
    resumptions: z
      .array(z.strictObject({ agent: slug }))
      .max(1_000)
      .default([]),
    retirements: z.array(retirementEntry).max(1_000).default([]),
  })
  .superRefine((publication, context) => {
    const names = {
      agencies: publication.agencies.map(({ slug }) => slug),
      agents: publication.agents.map(({ slug }) => slug),
      bundles: publication.bundles.map(({ slug, version }) => `${slug} ${version}`),
      verifications: publication.verifications.map(({ agent }) => agent),
    };
    for (const [part, entries] of Object.entries(names)) {
      const seen = new Set<string>();
      for (const [index, name] of entries.entries()) {
        if (seen.has(name)) {
          context.addIssue({ code: 'custom', path: [part, index], message: `${name} stands here twice` });
        }
        seen.add(name);
      }
    }
  });

export type Publication = z.output<typeof publicationSchema>;
export type VerificationEntry = z.output<typeof verificationEntry>;
