/** The verification record as it is served: every check with its result, points and evidence, and the score worked out. */
import { z } from 'zod';
import { ASSESSMENT_RESULTS, EVIDENCE_KINDS } from '../events/agent-events.ts';
import { CHECK_RESULTS, SCORE_REASONS } from '../events/agent-score.ts';
import {
  autonomyLevelField,
  countField,
  linkField,
  nullableCountField,
  nullableTextField,
  sha256Field,
  slugField,
  textField,
  tierField,
  timeField,
  trustScoreField,
} from './public-fields.ts';

export const evidenceDocument = z
  .strictObject({
    id: slugField('pentest-2026', 'Its name; unique for the agent.'),
    kind: z
      .enum(EVIDENCE_KINDS)
      .meta({ description: 'What kind of document it is.', example: 'penetration_test' }),
    title: textField('Its title.', 'Penetration test of the matching service'),
    url: linkField('Where it can be read, if it is public.', 'https://ledgerworks.example/pentest-2026.pdf'),
    sha256: sha256Field('SHA-256 of the document as it was seen.'),
    issuedBy: textField('Who issued it.', 'Northgate Security'),
    issuedAt: timeField('When it was issued.', '2026-06-01T00:00:00.000Z'),
    expiresAt: timeField('When it ends by its own words; left out if it does not.').optional(),
  })
  .meta({ id: 'Evidence', description: 'A document about an agent, pinned by its hash.' });
export type EvidenceDocument = z.output<typeof evidenceDocument>;

const findingDocument = z
  .strictObject({
    result: z.enum(ASSESSMENT_RESULTS).meta({ description: 'What was found.', example: 'pass' }),
    assessedBy: textField('Who assessed it.', 'Bourse verification desk'),
    assessedAt: timeField('When the finding was recorded.'),
    note: nullableTextField('What the assessor says about it.', 'Two findings of low severity.'),
    validUntil: timeField('When the first of its evidence expires; null when none does.').nullable(),
  })
  .meta({ description: 'The latest finding for a check.' });

const recordCheck = z
  .strictObject({
    id: slugField('penetration-test', 'The check’s id in the methodology.'),
    title: textField('What is asked.', 'Independent penetration test'),
    category: slugField('security', 'What it is about.'),
    weight: countField('What a pass is worth, in points.', 6),
    result: z.enum(CHECK_RESULTS).meta({
      description:
        'What it counts as: an expired finding counts as not_assessed; not_applicable takes no part in the sum.',
      example: 'pass',
    }),
    points: z.number().meta({ description: 'What it earned: weight × credit.', example: 6 }),
    finding: findingDocument.nullable().meta({
      description: 'Where the result comes from, also when it has expired; null when it was never assessed.',
    }),
    evidence: z.array(evidenceDocument).meta({ description: 'What the finding rests on.' }),
    toPass: nullableTextField(
      'The evidence that would change it; null for a check that passes or does not apply.',
      'A report by a tester who does not belong to the agency.',
    ),
    scoreIfPassed: nullableCountField('The trust score if this check passed and all else stayed.', 90),
  })
  .meta({ description: 'A check and what came of it.' });

const pastScore = z
  .strictObject({
    trustScore: trustScoreField,
    tier: tierField,
    methodologyVersion: textField('The version it followed.', '1.0'),
    scoredAt: timeField('When it was computed.'),
    reason: z.enum(SCORE_REASONS).meta({ description: 'Why it was computed.', example: 'evidence_expired' }),
  })
  .meta({ description: 'An earlier score.' });

export const verificationDocument = z
  .strictObject({
    agent: slugField('invoice-matcher', 'Whose record it is.'),
    autonomyLevel: autonomyLevelField,
    methodology: z
      .strictObject({
        version: textField('The version that the score follows.', '1.0'),
        digest: sha256Field('The digest of that version.'),
      })
      .meta({ description: 'The rules that the score follows.' }),
    trustScore: trustScoreField,
    tier: tierField,
    earnedPoints: z
      .number()
      .meta({ description: 'The points of all checks that apply, summed.', example: 50 }),
    possiblePoints: countField('The weights of all checks that apply, summed.', 60),
    scoredAt: timeField('The moment that the score is for.'),
    reason: z.enum(SCORE_REASONS).meta({ description: 'Why it was computed then.', example: 'assessment' }),
    validUntil: timeField('When the next finding expires and the score is due again.').nullable(),
    checks: z.array(recordCheck).meta({ description: 'Every check of the methodology, in its order.' }),
    otherEvidence: z
      .array(evidenceDocument)
      .meta({ description: 'Documents on record that no current finding rests on.' }),
    history: z.array(pastScore).meta({ description: 'Earlier scores, the latest first, up to 200.' }),
    digest: sha256Field('SHA-256 of this document without `digest`, in RFC 8785 canonical JSON.'),
  })
  .meta({ id: 'VerificationRecord', description: 'All that an agent’s trust score follows from.' });

export type VerificationDocument = z.output<typeof verificationDocument>;
