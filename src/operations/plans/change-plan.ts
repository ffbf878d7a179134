/** Choosing, changing and cancelling the plan of an account. */
import { assertNever } from '../../../commands/decider.ts';
import {
  subscriptionDecider,
  type SubscriptionRejection,
} from '../../../commands/subscription/subscription.ts';
import type { PlanName } from '../../../events/plan.ts';
import { subscriptionsProjection } from '../../../projections/subscriptions.ts';
import type { CommandCall } from '../../commanding/command-call.ts';
import { findAccount, type FoundAccount } from '../accounts/find-account.ts';
import { idempotencyMismatch } from '../idempotency.ts';
import { refuse, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';

type Changing = Pick<Services, 'commands' | 'views' | 'projector'>;

export type PlanOfAccount =
  | {
      readonly ok: true;
      readonly account: FoundAccount;
      /** The plan it has now; null for none. */
      readonly plan: PlanName | null;
      readonly replayed: boolean;
    }
  | Refused;

export type PlanChange =
  | { readonly type: 'ChoosePlan' | 'ChangePlan' | 'SetPlan'; readonly plan: PlanName }
  | { readonly type: 'CancelPlan' };

/** Plans are looked up in a view; whoever is answered is to find the change in force, unless the view is slow. */
const VIEW_PATIENCE_MS = 2_000;

/** `SetPlan` chooses or changes, whichever leads there. What the account has used stays used, whatever is done here. */
export async function changePlan(
  services: Changing,
  idOrHandle: string,
  change: PlanChange,
  call: CommandCall,
): Promise<PlanOfAccount> {
  const account = await findAccount(services, idOrHandle, call.at);
  if (!account.ok) return account;
  const { accountId, handle, status } = account;
  if (status === 'closed') return refuse('conflict', `the account ${handle} is closed`);
  const command = await commandOf(services, accountId, change, call.at);
  const outcome = await services.commands.run(subscriptionDecider, accountId, command, call);
  if (outcome.kind === 'mismatch') return idempotencyMismatch();
  if (outcome.kind === 'rejected') return refusePlan(handle, outcome.rejection);
  if (outcome.position !== null)
    await services.projector.reached(subscriptionsProjection.name, outcome.position, VIEW_PATIENCE_MS);
  const plan = change.type === 'CancelPlan' ? null : change.plan;
  return { ok: true, account, plan, replayed: outcome.kind === 'replayed' };
}

/** The plan that the account has as the log says now; null for none. */
export async function planOf(
  { commands }: Pick<Services, 'commands'>,
  accountId: string,
  at: string,
): Promise<PlanName | null> {
  const { state } = await commands.load(subscriptionDecider, accountId, at);
  return state.status === 'none' ? null : state.plan;
}

async function commandOf(services: Changing, accountId: string, change: PlanChange, at: string) {
  switch (change.type) {
    case 'ChoosePlan':
      return { type: 'ChoosePlan', accountId, plan: change.plan } as const;
    case 'ChangePlan':
      return { type: 'ChangePlan', plan: change.plan } as const;
    case 'CancelPlan':
      return { type: 'CancelPlan' } as const;
    case 'SetPlan': {
      const hasPlan = (await planOf(services, accountId, at)) !== null;
      return hasPlan
        ? ({ type: 'ChangePlan', plan: change.plan } as const)
        : ({ type: 'ChoosePlan', accountId, plan: change.plan } as const);
    }
    default:
      return assertNever(change);
  }
}

function refusePlan(handle: string, rejection: SubscriptionRejection): Refused {
  switch (rejection.kind) {
    case 'no_plan':
      return refuse('conflict', `the account ${handle} has no plan: choose one first`);
    case 'has_plan':
      return refuse('conflict', `the account ${handle} has the plan ${rejection.plan}: change it instead`);
    default:
      return assertNever(rejection);
  }
}
