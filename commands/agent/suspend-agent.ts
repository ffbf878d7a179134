/** Takes a listing out of the lists and closes it to new trials; resuming puts it back. */
import { accept, reject } from '../decider.ts';
import type { Agent } from './agent-state.ts';
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
export function suspendAgent({ reason }: SuspendAgent, agent: Agent): AgentDecision {
  switch (agent.status) {
    case 'absent':
      return reject({ kind: 'absent' });
    case 'retired':
      return reject({ kind: 'retired' });
    case 'suspended':
      return accept();
    case 'listed':
      return accept({
        type: 'AgentSuspended',
        data: { agent: agent.slug, agency: agent.listing.agency.slug, reason },
      });
  }
}

export function resumeAgent(agent: Agent): AgentDecision {
  switch (agent.status) {
    case 'absent':
      return reject({ kind: 'absent' });
    case 'retired':
      return reject({ kind: 'retired' });
    case 'listed':
      return accept();
    case 'suspended':
      return accept({ type: 'AgentResumed', data: { agent: agent.slug, agency: agent.listing.agency.slug } });
  }
}
