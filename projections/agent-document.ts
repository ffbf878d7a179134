/** An agent as the directory shows it: what the agency says, what verification found, what jobs came to. */
import { z } from 'zod';
import { PRICING_MODELS } from '../events/agent-listing.ts';
import {
  agencyField,
  autonomyLevelField,
  categoriesField,
  linkField,
  nullableTextField,
  slugField,
  textField,
  textsField,
  tierField,
  timeField,
  trustScoreField,
} from './public-fields.ts';

const count = (description: string, example: number): z.ZodInt =>
  z.int().min(0).meta({ description, example });

export const pricingDocument = z
  .strictObject({
    model: z
      .enum(PRICING_MODELS)
      .meta({ description: 'What one unit of the price pays for.', example: 'per_task' }),
    amountCents: count('The price of one unit, in cents.', 4_900),
    trialPriceCents: count('The price of a trial run, in cents: what a mandate is charged.', 1_900),
    currency: z.literal('usd').meta({ description: 'Always usd.', example: 'usd' }),
  })
  .meta({ description: 'What hiring it costs.' });

const linksDocument = z
  .strictObject({
    homepage: linkField('Its own page.', 'https://ledgerworks.example/invoice-matcher'),
    documentation: linkField('How to work with it.', 'https://ledgerworks.example/docs'),
    mcp: linkField('Its own MCP endpoint.', 'https://ledgerworks.example/mcp'),
    a2aCard: linkField('Its A2A agent card.', 'https://ledgerworks.example/.well-known/agent-card.json'),
  })
  .meta({
    description: 'Addresses the agency gives; those it does not give are left out.',
    example: { homepage: 'https://ledgerworks.example/invoice-matcher' },
  });

const verificationSummary = z
  .strictObject({
    tier: tierField,
    trustScore: trustScoreField,
    methodologyVersion: nullableTextField('The version of the methodology that the score follows.', '1.0'),
    verifiedAt: timeField('When the latest finding was recorded; null before the first.').nullable(),
    validUntil: timeField('When the next evidence expires and the score is due again.').nullable(),
    checks: z
      .strictObject({
        passed: count('Checks that pass.', 9),
        partial: count('Checks that pass in part: half their weight counts.', 1),
        failed: count('Checks that fail.', 1),
        notAssessed: count('Checks without a finding, or whose evidence has expired.', 1),
      })
      .meta({ description: 'The checks that apply to this agent, counted by result.' }),
    evidenceCount: count('Documents on record about this agent.', 12),
  })
  .meta({ description: 'What verification found, in short; the verification record has it all.' });

const outcomesDocument = z
  .strictObject({
    jobsCompleted: count(
      'Jobs that its agency completed. Only what was paid with real money counts, and nothing that the agency bought from itself.',
      41,
    ),
    jobsFailed: count('Jobs that its agency gave up.', 2),
    recordsCreated: count('Records that buyers’ systems asserted it created.', 1_204),
    completionRate: z
      .strictObject({
        value: z
          .number()
          .nullable()
          .meta({ description: 'Completed of all ended jobs; null before the first.', example: 0.9535 }),
        lowerBound95: z.number().nullable().meta({
          description: 'Lower bound of the 95 % Wilson interval: few jobs prove little.',
          example: 0.8454,
        }),
      })
      .meta({ description: 'How often a job is completed, with what that is worth.' }),
  })
  .meta({ description: 'What jobs through this marketplace came to.' });

export const agentDocument = z
  .strictObject({
    slug: slugField('invoice-matcher', 'Its name in addresses; never changes.'),
    name: textField('Its name.', 'Invoice Matcher'),
    tagline: textField(
      'What it does, in a line.',
      'Matches invoices to bank lines and explains every match.',
    ),
    description: textField(
      'What it does, in full. Plain text.',
      'Reads invoices and statements, proposes matches, and leaves a trace for each.',
    ),
    agency: agencyField,
    categories: categoriesField,
    capabilities: textsField('What it can do, as slugs.', ['invoice-matching', 'reconciliation']),
    integrations: textsField('What it works with, as slugs.', ['sepa', 'datev']),
    autonomyLevel: autonomyLevelField,
    pricing: pricingDocument,
    links: linksDocument,
    verification: verificationSummary,
    outcomes: outcomesDocument,
    publishedAt: timeField('When it was first listed.'),
    updatedAt: timeField('When its listing, verification or status last changed.'),
    revision: z.int().min(0).meta({
      description: 'Grows with every change of its listing, verification or status.',
      example: 14,
    }),
    suspension: z
      .strictObject({
        since: timeField('When it was suspended.'),
        reason: textField('Why.', 'The agency does not answer an incident report.'),
      })
      .optional()
      .meta({
        description: 'Only while it is suspended: out of the lists, and no trial can be made.',
      }),
  })
  .meta({ id: 'Agent', description: 'A listed agent.' });

export type AgentDocument = z.output<typeof agentDocument>;
