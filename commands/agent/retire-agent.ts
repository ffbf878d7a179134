/** Ends a listing for good. Retiring it again changes nothing. */
import type { AgentFact } from '../../events/agent-events.ts';
import { accept, type Decision, reject } from '../decider.ts';
import type { Agent } from './agent-state.ts';
import type { AgentRejection } from './rejections.ts';

export interface RetireAgent {
  readonly type: 'RetireAgent';
  /** Shown to the public. */
  readonly reason: string;
}

export function retireAgent({ reason }: RetireAgent, agent: Agent): Decision<AgentFact, AgentRejection> {
  if (agent.status === 'absent') return reject({ kind: 'absent' });
  if (agent.status === 'retired') return accept();
  const { agency, name } = agent.listing;
  return accept({ type: 'AgentRetired', data: { agent: agent.slug, agency: agency.slug, name, reason } });
}
