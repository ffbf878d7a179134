/** Takes a listing out of the lists and closes it to new trials; resuming puts it back. */
import { accept } from '../decider.ts';
import type { ListedAgent } from './agent-state.ts';
import type { AgentDecision } from './rejections.ts';

export interface SuspendAgent {
  readonly type: 'SuspendAgent';
  /** Shown to the public. */
  readonly reason: string;
}

export interface ResumeAgent {
  readonly type: 'ResumeAgent';
}

/** Suspending what is suspended changes nothing: the first reason stands. */
export function suspendAgent({ reason }: SuspendAgent, agent: ListedAgent): AgentDecision {
  if (agent.status === 'suspended') return accept();
  return accept({
    type: 'AgentSuspended',
    data: { agent: agent.slug, agency: agent.listing.agency.slug, reason },
  });
}

export function resumeAgent(_: ResumeAgent, agent: ListedAgent): AgentDecision {
  if (agent.status === 'listed') return accept();
  return accept({ type: 'AgentResumed', data: { agent: agent.slug, agency: agent.listing.agency.slug } });
}
