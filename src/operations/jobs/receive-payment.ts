/** What a payment provider tells of a job: at least once, late, and in any order. */
import type { BegunPayment, JobPayment } from '../../../commands/job/job-state.ts';
import { jobDecider } from '../../../commands/job/job.ts';
import { agencyAccountsProjection } from '../../../projections/agency-accounts.ts';
import type { CommandCall } from '../../commanding/command-call.ts';
import { readView } from '../read-view.ts';
import type { Services } from '../services.ts';
import { changeJob, type ChangedJob } from './change-job.ts';

type Changing = Pick<Services, 'commands' | 'events' | 'views'>;
type Cause = Pick<CommandCall, 'at' | 'requestId'>;

/** Money has moved: it funds the draft, or is recorded as surplus and given back by a reaction. */
export async function receivePayment(
  services: Changing,
  jobId: string,
  payment: JobPayment,
  cause: Cause,
): Promise<ChangedJob> {
  const ofOwnAccount = await isOfOwnAccount(services, jobId, cause.at);
  return tell(services, jobId, { type: 'ReceivePayment', payment, ofOwnAccount }, 'paid', cause);
}

/** Whether the account that buys ever had a key which acts for the agency. Operators make such keys, not agencies. */
export async function isOfOwnAccount(
  { commands, views }: Changing,
  jobId: string,
  at: string,
): Promise<boolean> {
  const { state } = await commands.load(jobDecider, jobId, at);
  if (state.status === 'absent') return false;
  const { agency, accountId } = state.draft;
  const own = await readView(views, agencyAccountsProjection, agency);
  return own?.accounts.includes(accountId) === true;
}

/** A payment was begun and nobody knows yet what came of it: the draft waits for the truth. */
export function reportPaymentPending(
  services: Changing,
  jobId: string,
  payment: BegunPayment,
  cause: Cause,
): Promise<ChangedJob> {
  return tell(services, jobId, { type: 'ReportPaymentPending', payment }, 'pending', cause);
}

/** The payment that was waited for came to nothing: the draft can be paid again. */
export function reportPaymentFailed(
  services: Changing,
  jobId: string,
  payment: BegunPayment,
  reason: string,
  cause: Cause,
): Promise<ChangedJob> {
  return tell(services, jobId, { type: 'ReportPaymentFailed', payment, reason }, 'failed', cause);
}

function tell(
  services: Changing,
  jobId: string,
  command: Parameters<typeof changeJob>[2] & { readonly payment: BegunPayment },
  news: string,
  { at, requestId }: Cause,
): Promise<ChangedJob> {
  const { provider, reference } = command.payment;
  const commandId = `${news}:${provider}:${reference}`;
  return changeJob(services, jobId, command, { at, requestId, actor: `payments:${provider}`, commandId });
}
