/**
 * Gives the spend of a job that came to nothing back to its mandate: right after the job ended, and once more by a
 * reaction in case the process died in between. The command id makes it one release.
 */
import { jobDecider } from '../../../commands/job/job.ts';
import type { ReleaseSpend } from '../../../commands/mandate/release-spend.ts';
import { mandateDecider } from '../../../commands/mandate/mandate.ts';
import { LogContradiction } from '../../../events/event-store.ts';
import type { CommandCall } from '../../commanding/command-call.ts';
import type { Services } from '../services.ts';

export async function releaseSpendOf(
  { commands }: Pick<Services, 'commands'>,
  jobId: string,
  reason: ReleaseSpend['reason'],
  cause: Omit<CommandCall, 'commandId' | 'requestHash'>,
): Promise<void> {
  const { state: job } = await commands.load(jobDecider, jobId, cause.at);
  if (job.status === 'absent') throw new LogContradiction(`${jobId} ended and is not there`);
  const { spend, amountCents } = job.draft;
  const { mandateId, spendId, period, revision } = spend;
  const { at, actor, requestId, causationId } = cause;
  const outcome = await commands.run(
    mandateDecider,
    mandateId,
    { type: 'ReleaseSpend', spendId, jobId, period, revision, amountCents, reason },
    {
      at,
      actor,
      requestId,
      commandId: `release:${spendId}`,
      remembersFrom: revision,
      ...(causationId === undefined ? {} : { causationId }),
    },
  );
  if (outcome.kind === 'rejected')
    throw new LogContradiction(`the mandate ${mandateId} of ${jobId} is not there`);
}
