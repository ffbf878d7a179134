/** Every reaction there is, under the name that its checkpoint is kept by: a name never changes. */
import type { Services } from '../operations/services.ts';
import type { Reaction } from '../background/reactor.ts';
import { whenAgentScoredRescoreInTime } from './when-agent-scored-rescore-in-time.ts';
import { whenAgencyRevisedReviseListings } from './when-agency-revised-revise-listings.ts';
import { whenJobChangedNotify } from './when-job-changed-notify.ts';
import { whenJobEndedReleaseSpend } from './when-job-ended-release-spend.ts';
import { whenMandateSpentCreateTrial } from './when-mandate-spent-create-trial.ts';
import { whenMethodologyPublishedRescoreAgents } from './when-methodology-published-rescore-agents.ts';
import { whenPaymentNotNeededReturnIt } from './when-payment-not-needed-return-it.ts';

export const reactions: Readonly<Record<string, (services: Services) => Reaction>> = {
  'when-mandate-spent-create-trial': whenMandateSpentCreateTrial,
  'when-job-ended-release-spend': whenJobEndedReleaseSpend,
  'when-payment-not-needed-return-it': whenPaymentNotNeededReturnIt,
  'when-job-changed-notify': whenJobChangedNotify,
  'when-agency-revised-revise-listings': whenAgencyRevisedReviseListings,
  'when-methodology-published-rescore-agents': whenMethodologyPublishedRescoreAgents,
  'when-agent-scored-rescore-in-time': whenAgentScoredRescoreInTime,
};
