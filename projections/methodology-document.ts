/** A version of the methodology as it is served: with the verification record, all that a score can be recomputed from. */
import { z } from 'zod';
import { EVIDENCE_KINDS } from '../events/agent-events.ts';
import { AUTONOMY_ROLES } from '../events/agent-listing.ts';
import { autonomyLevelField, sha256Field, slugField, tierField, timeField } from './public-fields.ts';

const checkDocument = z
  .strictObject({
    id: slugField('penetration-test', 'What verification records call it.'),
    title: z.string().meta({ description: 'What is asked.', example: 'Independent penetration test' }),
    category: slugField('security', 'What it is about.'),
    weight: z.int().meta({ description: 'What a pass is worth, in points.', example: 6 }),
    assessment: z.string().meta({
      description: 'How an assessor comes to a finding.',
      example: 'The report is read; open findings of high severity fail the check.',
    }),
    evidenceRequired: z.string().meta({
      description: 'What an agency has to hand in.',
      example: 'A report by a tester who does not belong to the agency.',
    }),
    evidenceKinds: z.array(z.enum(EVIDENCE_KINDS)).meta({
      description: 'A pass or partial rests on one of these at least.',
      example: ['penetration_test'],
    }),
    validityDays: z.int().nullable().meta({
      description: 'Evidence counts for so many days after it was issued; null: until its own expiry.',
      example: 365,
    }),
    appliesFromAutonomyLevel: z
      .int()
      .meta({ description: 'The check applies to agents of this autonomy level and above.', example: 1 }),
  })
  .meta({ id: 'Check', description: 'One question that verification asks.' });

const tierDocument = z.strictObject({
  tier: tierField,
  minimumScore: z.int().meta({ description: 'The lowest trust score of the tier.', example: 60 }),
  requiredChecks: z
    .array(z.string())
    .meta({ description: 'Checks that must pass, as far as they apply.', example: ['penetration-test'] }),
  description: z
    .string()
    .meta({ description: 'What the tier means.', example: 'The essential checks pass.' }),
});

const autonomyLevelDocument = z.strictObject({
  level: autonomyLevelField,
  userRole: z.enum(AUTONOMY_ROLES).meta({ description: 'What is left to the user.', example: 'consultant' }),
  description: z
    .string()
    .meta({ description: 'What the level means.', example: 'The agent acts and asks when in doubt.' }),
});

const credit = <Value extends number>(value: Value, description: string) =>
  z.literal(value).meta({ description, example: value });

const scoringDocument = z
  .strictObject({
    rule: z.string().meta({
      description: 'The formula of the trust score.',
      example: 'round(100 × Σ weight·credit / Σ weight) over the checks that apply',
    }),
    credits: z
      .strictObject({
        pass: credit(1, 'The share of its weight that a pass earns.'),
        partial: credit(0.5, 'The share of its weight that a partial earns.'),
        fail: credit(0, 'A fail earns nothing.'),
        not_assessed: credit(0, 'Nothing is earned without a finding that still counts.'),
      })
      .meta({ description: 'What each result is worth.' }),
    expiry: z.string().meta({
      description: 'How findings expire.',
      example: 'A finding counts until the first of its evidence expires.',
    }),
  })
  .meta({ description: 'How results become a score.' });

export const methodologyDocument = z
  .strictObject({
    version: z.string().meta({ description: 'Its version.', example: '1.0' }),
    title: z.string().meta({ description: 'Its title.', example: 'How agents are verified' }),
    introduction: z.string().meta({
      description: 'What it is for.',
      example: 'A trust score is arithmetic on published evidence.',
    }),
    tiers: z.array(tierDocument).meta({ description: 'The tiers, from the lowest to the highest.' }),
    autonomyLevels: z.array(autonomyLevelDocument).meta({ description: 'The autonomy levels, from 1 to 5.' }),
    checks: z.array(checkDocument).meta({ description: 'What is asked about every agent.' }),
    scoring: scoringDocument,
    changeLog: z
      .array(
        z.strictObject({
          version: z.string().meta({ description: 'The version.', example: '1.0' }),
          changes: z
            .array(z.string())
            .meta({ description: 'What it changed.', example: ['The first version.'] }),
        }),
      )
      .meta({ description: 'What each version changed, the newest first.' }),
    publishedAt: timeField('When it came into force.'),
    digest: sha256Field('SHA-256 of this document without `digest`, in RFC 8785 canonical JSON.'),
  })
  .meta({ id: 'Methodology', description: 'The published rules of verification.' });

export type MethodologyDocument = z.output<typeof methodologyDocument>;
