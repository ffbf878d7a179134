/** The agent: a listing, the evidence about it, and the score that follows. */
import type { AgentFact } from '../../events/agent-events.ts';
import { type CommandOf, decideBy, type Decider, preceded, reject } from '../decider.ts';
import { type Agent, evolveAgent, noAgent } from './agent-state.ts';
import { snapshotIfDue } from './snapshot.ts';
import { type PublishAgent, publishAgent, reviseAgent } from './publish-agent.ts';
import { recordAssessment } from './record-assessment.ts';
import type { AgentDecision, AgentRejection } from './rejections.ts';
import { rescoreAgent } from './rescore.ts';
import { type RetireAgent, retireAgent } from './retire-agent.ts';
import { submitEvidence } from './submit-evidence.ts';
import { resumeAgent, suspendAgent } from './suspend-agent.ts';

/** Of an agent that is not retired. */
const decisions = {
  ReviseAgent: reviseAgent,
  SuspendAgent: suspendAgent,
  ResumeAgent: resumeAgent,
  SubmitEvidence: submitEvidence,
  RecordAssessment: recordAssessment,
  RescoreAgent: rescoreAgent,
};

export type AgentCommand = PublishAgent | RetireAgent | CommandOf<typeof decisions>;

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
  return decideBy(decisions, command, agent, at);
}
