/** The secret of an account's notifyUrl messages: each time it is issued, the one before ends a day later. */
import { accept, type Decider, reject } from '../decider.ts';
import type { NotifySecretFact } from '../../events/webhook-events.ts';
import { type IssuedSecrets, nextVersion, type TooManySecrets, withSecret } from '../overlapping-secrets.ts';

export interface IssueNotifySecret {
  readonly type: 'IssueNotifySecret';
  readonly accountId: string;
}

/** None before anybody asked for one. */
export const notifySecretDecider: Decider<
  IssuedSecrets,
  IssueNotifySecret,
  NotifySecretFact,
  TooManySecrets
> = {
  family: 'notify',
  initial: [],
  evolve: (issued, { data, at }) => withSecret(issued, data.secretVersion, at),
  decide({ accountId }, issued, at) {
    const secretVersion = nextVersion(issued, at);
    if (typeof secretVersion !== 'number') return reject(secretVersion);
    return accept({ type: 'NotifySecretIssued', data: { accountId, secretVersion } });
  },
};
