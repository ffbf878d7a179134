/** What happens to a listed agent: one stream `agent-{slug}`. A score is a fact too: it is never set, only computed. */
import { z } from 'zod';
import { agentScoredSchema, exampleScore } from './agent-score.ts';
import { listingSchema, type Listing } from './agent-listing.ts';
import { sha256, slug, timestamp } from './common.ts';
import { defineEvent, type FactOf } from './event.ts';
import { line, versionNumber, webAddress } from './texts.ts';

/** What kind of thing a piece of evidence is; a check of the methodology says which kinds can support it. */
export const EVIDENCE_KINDS = [
  'identity_record',
  'policy',
  'certificate',
  'audit_report',
  'penetration_test',
  'benchmark',
  'test_run',
  'monitoring_report',
  'customer_reference',
  'attestation',
] as const;

/** A document that somebody issued about the agent. Its hash pins what was seen; the address may be absent. */
export const evidenceSchema = z.strictObject({
  /** Chosen by whoever submits it; unique for the agent, and its content never changes. */
  id: slug,
  kind: z.enum(EVIDENCE_KINDS),
  title: line(200),
  url: webAddress.optional(),
  sha256,
  issuedBy: line(120),
  issuedAt: timestamp,
  expiresAt: timestamp.optional(),
});
export type Evidence = z.output<typeof evidenceSchema>;

export const ASSESSMENT_RESULTS = ['pass', 'partial', 'fail'] as const;

/** What an assessor found for one check, and the evidence that the finding rests on. */
export const assessmentSchema = z.strictObject({
  check: slug,
  result: z.enum(ASSESSMENT_RESULTS),
  /** Ids of submitted evidence. A pass or partial rests on at least one. */
  evidence: z.array(slug).max(20),
  assessedBy: line(120),
  note: line(1_000).nullable(),
});
export type Assessment = z.output<typeof assessmentSchema>;

/** Of evidence, what decisions go by; its content is told by the SHA-256 of its JSON with ordered members. */
const evidenceOnRecordSchema = evidenceSchema
  .pick({ id: true, kind: true, issuedAt: true, expiresAt: true })
  .extend({ digest: sha256 });
export type EvidenceOnRecord = z.output<typeof evidenceOnRecordSchema>;

/** Of the last score: the SHA-256 of its JSON with ordered members, without the reason. */
const lastScoreSchema = z.strictObject({
  methodologyVersion: versionNumber,
  /** When it is due again; null when nothing expires. */
  validUntil: timestamp.nullable(),
  digest: sha256,
});
export type LastScore = z.output<typeof lastScoreSchema>;

const reason = line(500);
const agent = 'invoice-matcher';
const agency = 'ledgerworks';

const exampleListing: Listing = {
  name: 'Invoice Matcher',
  tagline: 'Matches invoices to bank lines and explains every match.',
  description: 'Reads invoices and statements, proposes matches, and leaves a trace for each.',
  agency: { slug: agency, name: 'Ledgerworks' },
  categories: ['finance'],
  capabilities: ['invoice-matching', 'reconciliation'],
  integrations: ['sepa', 'datev'],
  autonomyLevel: 3,
  pricing: { model: 'per_task', amountCents: 4_900, trialPriceCents: 1_900, currency: 'usd' },
  links: { homepage: 'https://ledgerworks.example/invoice-matcher' },
};

const exampleEvidence: Evidence = {
  id: 'pentest-2026',
  kind: 'penetration_test',
  title: 'Penetration test of the matching service',
  url: 'https://ledgerworks.example/evidence/pentest-2026.pdf',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  issuedBy: 'Northgate Security',
  issuedAt: '2026-06-01T00:00:00.000Z',
  expiresAt: '2027-06-01T00:00:00.000Z',
};

export const agentEvents = [
  defineEvent({
    type: 'AgentPublished',
    summary: 'An agency listed an agent; from now on buyers find it and may hire it.',
    data: z.strictObject({ agent: slug, listing: listingSchema }),
    example: { agent, listing: exampleListing },
  }),
  defineEvent({
    type: 'AgentRevised',
    summary: 'The listing changed; it is carried whole, as it reads from now on.',
    data: z.strictObject({ agent: slug, listing: listingSchema }),
    example: { agent, listing: { ...exampleListing, autonomyLevel: 4 } },
  }),
  defineEvent({
    type: 'AgentSuspended',
    summary:
      'An operator took the listing out of the lists and closed it to new trials, for a public reason.',
    data: z.strictObject({ agent: slug, agency: slug, reason }),
    example: { agent, agency, reason: 'The agency does not answer an incident report.' },
  }),
  defineEvent({
    type: 'AgentResumed',
    summary: 'A suspended listing is back in the lists and open to trials.',
    data: z.strictObject({ agent: slug, agency: slug }),
    example: { agent, agency },
  }),
  defineEvent({
    type: 'AgentRetired',
    summary: 'The listing ended for good; its page says so, mirrors drop it, its history stays.',
    data: z.strictObject({ agent: slug, agency: slug, name: line(80), reason }),
    example: { agent, agency, name: 'Invoice Matcher', reason: 'Replaced by Invoice Matcher 2.' },
  }),
  defineEvent({
    type: 'EvidenceSubmitted',
    summary: 'A document about the agent was put on record; assessments may rest on it.',
    data: z.strictObject({ agent: slug, evidence: evidenceSchema }),
    example: { agent, evidence: exampleEvidence },
  }),
  defineEvent({
    type: 'AssessmentRecorded',
    summary: 'An assessor recorded a finding for one check; it replaces the earlier finding for that check.',
    data: z.strictObject({ agent: slug, assessment: assessmentSchema }),
    example: {
      agent,
      assessment: {
        check: 'penetration-test',
        result: 'pass',
        evidence: ['pentest-2026'],
        assessedBy: 'Bourse verification desk',
        note: null,
      },
    },
  }),
  defineEvent({
    type: 'AgentScored',
    summary:
      'Score and tier were computed anew and something in them changed: a finding, an expiry, the methodology.',
    data: agentScoredSchema,
    example: exampleScore,
  }),
  defineEvent({
    type: 'AgentCarried',
    summary:
      'A snapshot of the agent after many events, so that loading reads back no further. It changes nothing.',
    data: z.strictObject({
      agent: slug,
      status: z.enum(['listed', 'suspended', 'retired']),
      listing: listingSchema,
      evidence: z.array(evidenceOnRecordSchema),
      /** The latest finding of each check. */
      findings: z.array(assessmentSchema.extend({ assessedAt: timestamp })),
      score: lastScoreSchema.nullable(),
    }),
    example: {
      agent,
      status: 'listed',
      listing: exampleListing,
      evidence: [
        {
          id: exampleEvidence.id,
          kind: exampleEvidence.kind,
          issuedAt: exampleEvidence.issuedAt,
          expiresAt: '2027-06-01T00:00:00.000Z',
          digest: '3c1b7b0f4d3f0b0a4b8d9a0c6f8b6f6f1d8c1d2b5c9f7e3a1b2c3d4e5f60718a',
        },
      ],
      findings: [
        {
          check: 'penetration-test',
          result: 'pass',
          evidence: ['pentest-2026'],
          assessedBy: 'Bourse verification desk',
          note: null,
          assessedAt: '2026-06-10T09:30:00.000Z',
        },
      ],
      score: {
        methodologyVersion: '1.0',
        validUntil: '2027-06-01T00:00:00.000Z',
        digest: '5b0e6a2f7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f7081',
      },
    },
  }),
] as const;

export type AgentFact = FactOf<(typeof agentEvents)[number]>;
