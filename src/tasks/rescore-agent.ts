/** At the moment evidence expires that was good for a short time only: the score of its agent. */
import { z } from 'zod';
import { rescoreOnce } from '../operations/directory/writing/rescore-due.ts';
import type { Services } from '../operations/services.ts';
import type { NewTask } from '../ports/queue.ts';
import type { TaskKind } from '../background/task-runner.ts';
import { payloadOf } from './task-payload.ts';

const RESCORE_AGENT = 'rescore-agent';
const MAX_PAUSE_MS = 60_000;

/** `validUntil` is RFC 3339. */
const payloadSchema = z.object({
  agent: z.string(),
  validUntil: z.string().refine((time) => !Number.isNaN(Date.parse(time))),
});
type RescorePayload = Readonly<z.output<typeof payloadSchema>>;

/** The task that scores the agent anew at that time, RFC 3339. */
export function rescoreAt(agent: string, validUntil: string): NewTask {
  const payload: RescorePayload = { agent, validUntil };
  return {
    id: `${RESCORE_AGENT}:${agent}:${validUntil}`,
    name: RESCORE_AGENT,
    payload: JSON.stringify(payload),
    dueAtMs: Date.parse(validUntil),
  };
}

export function rescoreAgentInTime(services: Pick<Services, 'commands'>): TaskKind {
  return {
    name: RESCORE_AGENT,
    concurrency: 4,
    leaseMs: 60_000,
    // What is given up here is found by the task that looks for all that are due.
    retry: { firstPauseMs: 100, maxPauseMs: MAX_PAUSE_MS, giveUpAfterMs: 2 * MAX_PAUSE_MS },
    async run(task, { nowMs }) {
      // rescoreAt wrote it.
      const { agent, validUntil } = payloadOf(task, payloadSchema);
      // A queue whose clock is ahead of ours hands it out early, and would not do so again.
      const at = new Date(Math.max(nowMs, Date.parse(validUntil))).toISOString();
      await rescoreOnce(services, agent, validUntil, { at });
      return { kind: 'done' };
    },
  };
}
