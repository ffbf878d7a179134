/** The secret of an account's notifyUrl messages: each time it is issued, the one before ends a day later. */
import { accept, type Decider } from '../decider.ts';
import type { NotifySecretFact } from '../../events/webhook-events.ts';

export interface IssueNotifySecret {
  readonly type: 'IssueNotifySecret';
  readonly accountId: string;
}

/** The version in force; 0 before anybody asked for one. */
export const notifySecretDecider: Decider<number, IssueNotifySecret, NotifySecretFact, never> = {
  family: 'notify',
  initial: 0,
  evolve: (_version, { data }) => data.secretVersion,
  decide: ({ accountId }, version) =>
    accept({ type: 'NotifySecretIssued', data: { accountId, secretVersion: version + 1 } }),
};
