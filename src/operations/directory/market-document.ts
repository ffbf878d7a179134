/** A listing as a document to read and to cite: for hosts that search and fetch, and know no market. */
import { z } from 'zod';
import type { AgentDocument } from '../../../projections/agent-document.ts';
import type { BundleDocument } from '../../../projections/bundle-document.ts';
import type { VerificationDocument } from '../../../projections/verification-document.ts';
import { exampleAgent } from './example-market.ts';
import { textField } from '../../../projections/public-fields.ts';

export const documentId = z
  .string()
  .max(100)
  .regex(/^(agents|bundles)\/[a-z0-9]+(-[a-z0-9]+)*$/, 'must be such as agents/invoice-matcher')
  .meta({
    description: 'Its id: agents/ or bundles/ with the slug of the listing.',
    example: `agents/${exampleAgent.slug}`,
  });

export const documentTitle = textField('Name and tagline.', `${exampleAgent.name}: ${exampleAgent.tagline}`);

export const documentUrl = textField(
  'The page of the listing, to cite.',
  `http://localhost:8080/agents/${exampleAgent.slug}`,
);

export function titleOf({ name, tagline }: { readonly name: string; readonly tagline: string }): string {
  return `${name}: ${tagline}`;
}

/** The whole listing in words, with what its trust score rests on. */
export function agentText(agent: AgentDocument, record: VerificationDocument | undefined): string {
  const { verification, pricing, outcomes, suspension } = agent;
  return paragraphs(
    suspension === undefined ? null : `Suspended since ${suspension.since}: ${suspension.reason}`,
    agent.description,
    `Trust score ${verification.trustScore} of 100, tier ${verification.tier}. ` +
      `A trial run costs ${pricing.trialPriceCents} US cents. Autonomy level ${agent.autonomyLevel} of 5.`,
    `Agency: ${agent.agency.name}. Can do: ${agent.capabilities.join(', ')}. ` +
      `Works with: ${agent.integrations.join(', ') || 'nothing in particular'}.`,
    `Jobs completed: ${outcomes.jobsCompleted}; failed: ${outcomes.jobsFailed}.`,
    record === undefined ? null : evidenceText(record),
  );
}

export function bundleText({
  description,
  version,
  licence,
  agency,
  skills,
  manifest,
}: BundleDocument): string {
  return paragraphs(
    description,
    `Version ${version}, licence ${licence}, by ${agency.name}. Root hash ${manifest.rootHash}.`,
    ['Skills:', ...skills.map((skill) => `- ${skill.name}: ${skill.description}`)].join('\n'),
    ['Files:', ...manifest.files.map(({ path, size }) => `- ${path}, ${size} bytes`)].join('\n'),
  );
}

function evidenceText({ checks, earnedPoints, possiblePoints }: VerificationDocument): string {
  const applying = checks.filter(({ result }) => result !== 'not_applicable');
  return [
    `Evidence, ${earnedPoints} of ${possiblePoints} points:`,
    ...applying.map(({ title, result, points, weight }) => `- ${title}: ${result}, ${points} of ${weight}`),
  ].join('\n');
}

function paragraphs(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null).join('\n\n');
}
