/** The agent: a listing, the evidence about it, and the score that follows. */
import type { AgentFact } from '../../events/agent-events.ts';
import { assertNever, type Decider, preceded, reject } from '../decider.ts';
import { type Agent, evolveAgent, noAgent } from './agent-state.ts';
import { snapshotIfDue } from './snapshot.ts';
import { type PublishAgent, publishAgent, type ReviseAgent, reviseAgent } from './publish-agent.ts';
import { type RecordAssessment, recordAssessment } from './record-assessment.ts';
import type { AgentDecision, AgentRejection } from './rejections.ts';
import { type RescoreAgent, rescoreAgent } from './rescore.ts';
import { type RetireAgent, retireAgent } from './retire-agent.ts';
import { type SubmitEvidence, submitEvidence } from './submit-evidence.ts';
import { type ResumeAgent, resumeAgent, type SuspendAgent, suspendAgent } from './suspend-agent.ts';

export type AgentCommand =
  | PublishAgent
  | ReviseAgent
  | SuspendAgent
  | ResumeAgent
  | RetireAgent
  | SubmitEvidence
  | RecordAssessment
  | RescoreAgent;

export const agentDecider: Decider<Agent, AgentCommand, AgentFact, AgentRejection> = {
  family: 'agent',
  initial: noAgent,
  evolve: evolveAgent,
  decide: (command, agent, at) => preceded(decide(command, agent, at), () => snapshotIfDue(agent)),
  isSnapshot: (type) => type === 'AgentCarried',
};

function decide(command: AgentCommand, agent: Agent, at: string): AgentDecision {
  if (command.type === 'PublishAgent') return publishAgent(command, agent, at);
  if (agent.status === 'absent') return reject({ kind: 'absent' });
  if (command.type === 'RetireAgent') return retireAgent(command, agent);
  if (agent.status === 'retired') return reject({ kind: 'retired' });
  switch (command.type) {
    case 'ReviseAgent':
      return reviseAgent(command, agent, at);
    case 'SuspendAgent':
      return suspendAgent(command, agent);
    case 'ResumeAgent':
      return resumeAgent(agent);
    case 'SubmitEvidence':
      return submitEvidence(command, agent, at);
    case 'RecordAssessment':
      return recordAssessment(command, agent, at);
    case 'RescoreAgent':
      return rescoreAgent(command, agent, at);
    default:
      return assertNever(command);
  }
}
