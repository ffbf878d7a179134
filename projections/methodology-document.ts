/** A version of the methodology as it is served: with the verification record, all that a score can be recomputed from. */
import { z } from 'zod';
import { EVIDENCE_KINDS } from '../events/agent-events.ts';
import { AUTONOMY_ROLES } from '../events/agent-listing.ts';
import {
  autonomyLevelField,
  countField,
  nullableCountField,
  sha256Field,
  slugField,
  textField,
  textsField,
  tierField,
  timeField,
} from './public-fields.ts';

const checkDocument = z
  .strictObject({
    id: slugField('penetration-test', 'What verification records call it.'),
    title: textField('What is asked.', 'Independent penetration test'),
    category: slugField('security', 'What it is about.'),
    weight: countField('What a pass is worth, in points.', 6),
    assessment: textField(
      'How an assessor comes to a finding.',
      'The report is read; open findings of high severity fail the check.',
    ),
    evidenceRequired: textField(
      'What an agency has to hand in.',
      'A report by a tester who does not belong to the agency.',
    ),
    evidenceKinds: z.array(z.enum(EVIDENCE_KINDS)).meta({
      description: 'A pass or partial rests on one of these at least.',
      example: ['penetration_test'],
    }),
    validityDays: nullableCountField(
      'Evidence counts for so many days after it was issued; null: until its own expiry.',
      365,
    ),
    appliesFromAutonomyLevel: countField('The check applies to agents of this autonomy level and above.', 1),
  })
  .meta({ id: 'Check', description: 'One question that verification asks.' });

const tierDocument = z.strictObject({
  tier: tierField,
  minimumScore: countField('The lowest trust score of the tier.', 60),
  requiredChecks: textsField('Checks that must pass, as far as they apply.', ['penetration-test']),
  description: textField('What the tier means.', 'The essential checks pass.'),
});

const autonomyLevelDocument = z.strictObject({
  level: autonomyLevelField,
  userRole: z.enum(AUTONOMY_ROLES).meta({ description: 'What is left to the user.', example: 'consultant' }),
  description: textField('What the level means.', 'The agent acts and asks when in doubt.'),
});

const credit = <Value extends number>(value: Value, description: string) =>
  z.literal(value).meta({ description, example: value });

const scoringDocument = z
  .strictObject({
    rule: textField(
      'The formula of the trust score.',
      'round(100 × Σ weight·credit / Σ weight) over the checks that apply',
    ),
    credits: z
      .strictObject({
        pass: credit(1, 'The share of its weight that a pass earns.'),
        partial: credit(0.5, 'The share of its weight that a partial earns.'),
        fail: credit(0, 'A fail earns nothing.'),
        not_assessed: credit(0, 'Nothing is earned without a finding that still counts.'),
      })
      .meta({ description: 'What each result is worth.' }),
    expiry: textField('How findings expire.', 'A finding counts until the first of its evidence expires.'),
  })
  .meta({ description: 'How results become a score.' });

export const methodologyDocument = z
  .strictObject({
    version: textField('Its version.', '1.0'),
    title: textField('Its title.', 'How agents are verified'),
    introduction: textField('What it is for.', 'A trust score is arithmetic on published evidence.'),
    tiers: z.array(tierDocument).meta({ description: 'The tiers, from the lowest to the highest.' }),
    autonomyLevels: z.array(autonomyLevelDocument).meta({ description: 'The autonomy levels, from 1 to 5.' }),
    checks: z.array(checkDocument).meta({ description: 'What is asked about every agent.' }),
    scoring: scoringDocument,
    changeLog: z
      .array(
        z.strictObject({
          version: textField('The version.', '1.0'),
          changes: textsField('What it changed.', ['The first version.']),
        }),
      )
      .meta({ description: 'What each version changed, the newest first.' }),
    publishedAt: timeField('When it came into force.'),
    digest: sha256Field('SHA-256 of this document without `digest`, in RFC 8785 canonical JSON.'),
  })
  .meta({ id: 'Methodology', description: 'The published rules of verification.' });

export type MethodologyDocument = z.output<typeof methodologyDocument>;
