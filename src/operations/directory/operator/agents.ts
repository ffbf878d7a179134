import { exampleOf } from '../../../../events/catalog.ts';
import { z } from 'zod';
import { MAX_EVIDENCE } from '../../../../commands/agent/submit-evidence.ts';
import { agencySlugInput, agentSlugInput } from '../fields.ts';
import { exampleChange, operatorChange } from '../writing/answer-change.ts';
import * as changes from '../writing/changes.ts';
import { assessmentFields, evidenceFields, listingFields, reasonField } from '../writing/change-inputs.ts';

const { agent: slug, listing } = exampleOf('AgentPublished');
const reason = 'The agency does not answer an incident report.';

export const publishAgent = operatorChange({
  name: 'publishAgent',
  summary: 'List an agent, or revise its listing.',
  description:
    'Says how the listing shall read; the same again changes nothing. Its agency must be registered.',
  input: z.strictObject({ slug: agentSlugInput, agency: agencySlugInput, ...listingFields }),
  example: {
    input: { slug, ...listing, agency: listing.agency.slug },
    output: exampleChange('AgentPublished', 'AgentScored'),
  },
  change: ({ slug: agent, ...fields }) => changes.publishAgent(agent, fields),
  created: ({ slug }) => ({ by: 'AgentPublished', address: `/agents/${slug}` }),
});

export const suspendAgent = operatorChange({
  name: 'suspendAgent',
  summary: 'Take an agent out of the lists and close it to new trials.',
  description: 'Its detail stays readable and says why. Jobs under way go on.',
  input: z.strictObject({ slug: agentSlugInput, reason: reasonField }),
  example: { input: { slug, reason }, output: exampleChange('AgentSuspended') },
  change: ({ slug, reason }) => changes.changeAgent(slug, { type: 'SuspendAgent', reason }),
});

export const resumeAgent = operatorChange({
  name: 'resumeAgent',
  summary: 'Put a suspended agent back into the lists.',
  description: 'Changes nothing for an agent that is not suspended.',
  input: z.strictObject({ slug: agentSlugInput }),
  example: { input: { slug }, output: exampleChange('AgentResumed') },
  change: ({ slug }) => changes.changeAgent(slug, { type: 'ResumeAgent' }),
});

export const retireAgent = operatorChange({
  name: 'retireAgent',
  summary: 'End a listing for good.',
  description: 'From then on the API answers not_found, its page says that it ended, and mirrors drop it.',
  input: z.strictObject({ slug: agentSlugInput, reason: reasonField }),
  example: {
    input: { slug, reason: 'Replaced by Invoice Matcher 2.' },
    output: exampleChange('AgentRetired'),
  },
  change: ({ slug, reason }) => changes.changeAgent(slug, { type: 'RetireAgent', reason }),
});

export const submitEvidence = operatorChange({
  name: 'submitEvidence',
  summary: 'Put a document about an agent on record.',
  description: `Evidence never changes: the same again changes nothing, other content needs another id. An agent has at most ${MAX_EVIDENCE} pieces.`,
  input: z.strictObject({ slug: agentSlugInput, ...evidenceFields }),
  example: {
    input: { slug, ...exampleOf('EvidenceSubmitted').evidence },
    output: exampleChange('EvidenceSubmitted'),
  },
  change: ({ slug: agent, ...evidence }) => changes.submitEvidence(agent, evidence),
});

export const recordAssessment = operatorChange({
  name: 'recordAssessment',
  summary: 'Record a finding for one check of an agent.',
  description: 'It replaces the earlier finding for that check; score and tier are computed at once.',
  input: z.strictObject({ slug: agentSlugInput, ...assessmentFields }),
  example: {
    input: { slug, ...exampleOf('AssessmentRecorded').assessment },
    output: exampleChange('AssessmentRecorded', 'AgentScored'),
  },
  change: ({ slug: agent, ...assessment }) => changes.recordAssessment(agent, assessment),
});
