/** A score that is good for so short a time that looking for due ones each minute would find it late gets its own task. */
import type { Services } from '../operations/services.ts';
import type { Reaction } from '../background/reactor.ts';
import { rescoreAt } from '../tasks/rescore-agent.ts';
import { RESCORE_EVERY_MS } from '../tasks/rescore-due-agents.ts';

/** One look may have been right before the score was, and the next is due in a minute by a view that lags a little. */
const SOON_MS = 2 * RESCORE_EVERY_MS;

export function whenAgentScoredRescoreInTime({ queue }: Pick<Services, 'queue'>): Reaction {
  return {
    name: 'when-agent-scored-rescore-in-time',
    types: ['AgentScored'],
    fillsQueue: true,
    async react({ type, data, at }) {
      if (type !== 'AgentScored') return;
      const { agent, validUntil } = data;
      if (validUntil === null || Date.parse(validUntil) - Date.parse(at) > SOON_MS) return;
      await queue.add([rescoreAt(agent, validUntil)]);
    },
  };
}
