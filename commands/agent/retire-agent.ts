/** Ends a listing for good. Retiring it again changes nothing. */
import { accept } from '../decider.ts';
import type { ListedAgent } from './agent-state.ts';
import type { AgentDecision } from './rejections.ts';

export interface RetireAgent {
  readonly type: 'RetireAgent';
  /** Shown to the public. */
  readonly reason: string;
}

export function retireAgent({ reason }: RetireAgent, agent: ListedAgent): AgentDecision {
  if (agent.status === 'retired') return accept();
  const { agency, name } = agent.listing;
  return accept({ type: 'AgentRetired', data: { agent: agent.slug, agency: agency.slug, name, reason } });
}
