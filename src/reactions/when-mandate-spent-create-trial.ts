/** Every authorised spend has its job, also if the process died between the two. */
import { jobDecider } from '../../commands/job/job.ts';
import { draftJob } from '../operations/jobs/draft-job.ts';
import type { Services } from '../operations/services.ts';
import { streamIdOf } from '../commanding/command-runner.ts';
import type { Reaction } from '../background/reactor.ts';

/** Longer than the request takes, which drafts the job itself; the embedded log has such events in memory still. */
const LEAVE_MS = 200;
/** Where the job is an append of its own, which a server may take its time for: looking in between costs four reads. */
const LEAVE_FOR_APPEND_MS = 1_000;

export function whenMandateSpentCreateTrial(
  services: Pick<Services, 'commands' | 'events' | 'hasBegun'>,
): Reaction {
  return {
    name: 'when-mandate-spent-create-trial',
    types: ['MandateSpent'],
    leaveMs: services.events.appendAll === undefined ? LEAVE_FOR_APPEND_MS : LEAVE_MS,
    async react(event) {
      if (event.type !== 'MandateSpent') return;
      const jobStream = streamIdOf(jobDecider, event.data.order.jobId);
      // Nearly always: then nothing is to be read.
      if (services.commands.knownRevision(jobStream) >= 0 || services.hasBegun(jobStream)) return;
      await draftJob(services, event, 'reaction:when-mandate-spent-create-trial');
    },
  };
}
