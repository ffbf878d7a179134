/**
 * A score as it was computed: every check with what it was worth, so that the arithmetic can be followed and repeated
 * from this fact, and a view never has to look up a methodology.
 */
import { z } from 'zod';
import { autonomyLevelSchema } from './agent-listing.ts';
import { sha256, slug, timestamp } from './common.ts';
import { line, versionNumber } from './texts.ts';

/** From the lowest to the highest. */
export const TIERS = ['unverified', 'listed', 'verified', 'audited'] as const;
export type Tier = (typeof TIERS)[number];

/** What a check counts as: an expired finding counts as not assessed; `not_applicable` takes no part in the sum. */
export const CHECK_RESULTS = ['pass', 'partial', 'fail', 'not_assessed', 'not_applicable'] as const;
export type CheckResult = (typeof CHECK_RESULTS)[number];

/** Why the score was computed anew. */
export const SCORE_REASONS = [
  'published',
  'revised',
  'assessment',
  'evidence_expired',
  'methodology',
] as const;
export type ScoreReason = (typeof SCORE_REASONS)[number];

const scoredCheckSchema = z.strictObject({
  id: slug,
  title: line(120),
  category: slug,
  weight: z.int().min(1).max(100),
  result: z.enum(CHECK_RESULTS),
  /** weight × credit: the whole weight for a pass, half of it for a partial, nothing otherwise. */
  points: z.number().min(0).max(100),
  /** The finding that the result comes from, also when it has expired since; null when there is none. */
  finding: z
    .strictObject({
      result: z.enum(['pass', 'partial', 'fail']),
      evidence: z.array(slug),
      assessedBy: line(120),
      assessedAt: timestamp,
      note: line(1_000).nullable(),
      /** When the first of its evidence expires; null when none does. */
      validUntil: timestamp.nullable(),
    })
    .nullable(),
  /** For a check that is not passed: the evidence that would change it. */
  toPass: line(1_000).nullable(),
  /** For a check that is not passed: what the trust score would be if it were, all else as it is. */
  scoreIfPassed: z.int().min(0).max(100).nullable(),
});
export type ScoredCheck = z.output<typeof scoredCheckSchema>;

export const agentScoredSchema = z.strictObject({
  agent: slug,
  methodology: z.strictObject({ version: versionNumber, digest: sha256 }),
  autonomyLevel: autonomyLevelSchema,
  /** round(100 × earned / possible), or 0 when nothing is possible. */
  trustScore: z.int().min(0).max(100),
  earnedPoints: z.number().min(0),
  possiblePoints: z.int().min(0),
  tier: z.enum(TIERS),
  /** Every check of the methodology, in its order. */
  checks: z.array(scoredCheckSchema),
  /** When the next finding expires and the score is due again; null when none does. */
  validUntil: timestamp.nullable(),
  reason: z.enum(SCORE_REASONS),
});
export type AgentScore = z.output<typeof agentScoredSchema>;

export const exampleScore: AgentScore = {
  agent: 'invoice-matcher',
  methodology: {
    version: '1.0',
    digest: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
  },
  autonomyLevel: 3,
  trustScore: 60,
  earnedPoints: 6,
  possiblePoints: 10,
  tier: 'listed',
  checks: [
    {
      id: 'penetration-test',
      title: 'Independent penetration test',
      category: 'security',
      weight: 6,
      result: 'pass',
      points: 6,
      finding: {
        result: 'pass',
        evidence: ['pentest-2026'],
        assessedBy: 'Bourse verification desk',
        assessedAt: '2026-06-10T09:30:00.000Z',
        note: null,
        validUntil: '2027-06-01T00:00:00.000Z',
      },
      toPass: null,
      scoreIfPassed: null,
    },
    {
      id: 'data-retention',
      title: 'Published retention of inputs',
      category: 'privacy',
      weight: 4,
      result: 'not_assessed',
      points: 0,
      finding: null,
      toPass: 'A policy that says how long inputs are kept, not older than 365 days.',
      scoreIfPassed: 100,
    },
  ],
  validUntil: '2027-06-01T00:00:00.000Z',
  reason: 'assessment',
};
