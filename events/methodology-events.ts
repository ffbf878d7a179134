/** The published rules of verification: one stream, `methodology-main`. A version is never changed, only followed. */
import { z } from 'zod';
import { EVIDENCE_KINDS } from './agent-events.ts';
import { AUTONOMY_ROLES, autonomyLevelSchema } from './agent-listing.ts';
import { TIERS } from './agent-score.ts';
import { slug } from './common.ts';
import { defineEvent, type FactOf } from './event.ts';
import { line, prose, versionNumber } from './texts.ts';

/** One question that verification asks about an agent. */
const checkSchema = z.strictObject({
  id: slug,
  title: line(120),
  category: slug,
  weight: z.int().min(1).max(100),
  /** How an assessor comes to a finding. */
  assessment: line(500),
  /** What an agency has to hand in. */
  evidenceRequired: line(400),
  evidenceKinds: z.array(z.enum(EVIDENCE_KINDS)).min(1),
  /** Evidence counts for so long after it was issued; null: until its own expiry, if it has one. */
  validityDays: z.int().min(1).max(3_650).nullable(),
  /** The check applies to agents of this autonomy level and above. */
  appliesFromAutonomyLevel: autonomyLevelSchema,
});
export type Check = z.output<typeof checkSchema>;

export const methodologySchema = z.strictObject({
  version: versionNumber,
  title: line(120),
  introduction: prose(4_000),
  /** From the lowest to the highest, each once. */
  tiers: z.array(
    z.strictObject({
      tier: z.enum(TIERS),
      minimumScore: z.int().min(0).max(100),
      requiredChecks: z.array(slug),
      description: line(300),
    }),
  ),
  autonomyLevels: z.array(
    z.strictObject({ level: autonomyLevelSchema, userRole: z.enum(AUTONOMY_ROLES), description: line(300) }),
  ),
  checks: z.array(checkSchema).min(1).max(100),
  scoring: z.strictObject({
    rule: line(300),
    /** Part of the rule and the same in every version; published so that the document stands by itself. */
    credits: z.strictObject({
      pass: z.literal(1),
      partial: z.literal(0.5),
      fail: z.literal(0),
      not_assessed: z.literal(0),
    }),
    expiry: line(400),
  }),
  changeLog: z
    .array(z.strictObject({ version: versionNumber, changes: z.array(line(300)).min(1).max(50) }))
    .min(1),
});
export type Methodology = z.output<typeof methodologySchema>;

const exampleMethodology: Methodology = {
  version: '1.0',
  title: 'How agents are verified',
  introduction: 'A trust score is arithmetic on published evidence.',
  tiers: [
    {
      tier: 'unverified',
      minimumScore: 0,
      requiredChecks: [],
      description: 'Nothing has been verified yet.',
    },
    { tier: 'listed', minimumScore: 20, requiredChecks: [], description: 'Some evidence is on record.' },
    {
      tier: 'verified',
      minimumScore: 60,
      requiredChecks: ['penetration-test'],
      description: 'The essential checks pass.',
    },
    {
      tier: 'audited',
      minimumScore: 85,
      requiredChecks: ['penetration-test', 'data-retention'],
      description: 'Independent parties looked.',
    },
  ],
  autonomyLevels: AUTONOMY_ROLES.map((userRole, index) => ({
    level: index + 1,
    userRole,
    description: `The user is the ${userRole}.`,
  })),
  checks: [
    {
      id: 'penetration-test',
      title: 'Independent penetration test',
      category: 'security',
      weight: 6,
      assessment: 'The report is read; open findings of high severity fail the check.',
      evidenceRequired: 'A report by a tester who does not belong to the agency.',
      evidenceKinds: ['penetration_test'],
      validityDays: 365,
      appliesFromAutonomyLevel: 1,
    },
    {
      id: 'data-retention',
      title: 'Published retention of inputs',
      category: 'privacy',
      weight: 4,
      assessment: 'The policy is compared with what the service does.',
      evidenceRequired: 'A policy that says how long inputs are kept.',
      evidenceKinds: ['policy'],
      validityDays: 365,
      appliesFromAutonomyLevel: 1,
    },
  ],
  scoring: {
    rule: 'round(100 × Σ weight·credit / Σ weight) over the checks that apply',
    credits: { pass: 1, partial: 0.5, fail: 0, not_assessed: 0 },
    expiry:
      'A finding counts until the first of its evidence expires; then the check counts as not assessed.',
  },
  changeLog: [{ version: '1.0', changes: ['The first version.'] }],
};

export const methodologyEvents = [
  defineEvent({
    type: 'MethodologyPublished',
    summary: 'A version of the methodology came into force; every agent is scored by it anew.',
    data: z.strictObject({ methodology: methodologySchema }),
    example: { methodology: exampleMethodology },
  }),
] as const;

export type MethodologyFact = FactOf<(typeof methodologyEvents)[number]>;
