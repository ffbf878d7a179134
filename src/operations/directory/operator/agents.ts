import { exampleOf } from '../../../../events/catalog.ts';
import { z } from 'zod';
import { MAX_EVIDENCE } from '../../../../commands/agent/submit-evidence.ts';
import { defineOperation } from '../../operation.ts';
import { agencySlugInput, agentSlugInput } from '../fields.ts';
import { answerChange, exampleChange } from '../writing/answer-change.ts';
import * as changes from '../writing/changes.ts';
import { assessmentFields, evidenceFields, listingFields, reasonField } from '../writing/change-inputs.ts';
import { operatorChange } from './shared.ts';

const { agent: slug, listing } = exampleOf('AgentPublished');
const reason = 'The agency does not answer an incident report.';

export const publishAgent = defineOperation({
  ...operatorChange,
  name: 'publishAgent',
  summary: 'List an agent, or revise its listing.',
  description:
    'Says how the listing shall read; the same again changes nothing. Its agency must be registered.',
  input: z.strictObject({ slug: agentSlugInput, agency: agencySlugInput, ...listingFields }),
  example: {
    input: { slug, ...listing, agency: listing.agency.slug },
    output: exampleChange('AgentPublished', 'AgentScored'),
  },
  run: ({ slug: agent, ...fields }, call, services) =>
    answerChange(services, call, changes.publishAgent(agent, fields), {
      by: 'AgentPublished',
      address: `/agents/${agent}`,
    }),
});

export const suspendAgent = defineOperation({
  ...operatorChange,
  name: 'suspendAgent',
  summary: 'Take an agent out of the lists and close it to new trials.',
  description: 'Its detail stays readable and says why. Jobs under way go on.',
  input: z.strictObject({ slug: agentSlugInput, reason: reasonField }),
  example: { input: { slug, reason }, output: exampleChange('AgentSuspended') },
  run: (input, call, services) =>
    answerChange(
      services,
      call,
      changes.changeAgent(input.slug, { type: 'SuspendAgent', reason: input.reason }),
    ),
});

export const resumeAgent = defineOperation({
  ...operatorChange,
  name: 'resumeAgent',
  summary: 'Put a suspended agent back into the lists.',
  description: 'Changes nothing for an agent that is not suspended.',
  input: z.strictObject({ slug: agentSlugInput }),
  example: { input: { slug }, output: exampleChange('AgentResumed') },
  run: (input, call, services) =>
    answerChange(services, call, changes.changeAgent(input.slug, { type: 'ResumeAgent' })),
});

export const retireAgent = defineOperation({
  ...operatorChange,
  name: 'retireAgent',
  summary: 'End a listing for good.',
  description: 'From then on the API answers not_found, its page says that it ended, and mirrors drop it.',
  input: z.strictObject({ slug: agentSlugInput, reason: reasonField }),
  example: {
    input: { slug, reason: 'Replaced by Invoice Matcher 2.' },
    output: exampleChange('AgentRetired'),
  },
  run: (input, call, services) =>
    answerChange(
      services,
      call,
      changes.changeAgent(input.slug, { type: 'RetireAgent', reason: input.reason }),
    ),
});

export const submitEvidence = defineOperation({
  ...operatorChange,
  name: 'submitEvidence',
  summary: 'Put a document about an agent on record.',
  description: `Evidence never changes: the same again changes nothing, other content needs another id. An agent has at most ${MAX_EVIDENCE} pieces.`,
  input: z.strictObject({ slug: agentSlugInput, ...evidenceFields }),
  example: {
    input: { slug, ...exampleOf('EvidenceSubmitted').evidence },
    output: exampleChange('EvidenceSubmitted'),
  },
  run: ({ slug: agent, ...evidence }, call, services) =>
    answerChange(services, call, changes.submitEvidence(agent, evidence)),
});

export const recordAssessment = defineOperation({
  ...operatorChange,
  name: 'recordAssessment',
  summary: 'Record a finding for one check of an agent.',
  description: 'It replaces the earlier finding for that check; score and tier are computed at once.',
  input: z.strictObject({ slug: agentSlugInput, ...assessmentFields }),
  example: {
    input: { slug, ...exampleOf('AssessmentRecorded').assessment },
    output: exampleChange('AssessmentRecorded', 'AgentScored'),
  },
  run: ({ slug: agent, ...assessment }, call, services) =>
    answerChange(services, call, changes.recordAssessment(agent, assessment)),
});
