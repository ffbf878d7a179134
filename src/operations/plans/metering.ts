/**
 * Counts requests of the Directory Data API against the plan of their account. What the meter's engine does not know,
 * because the month is new, or it lost its data or was set back, it is told from the checkpoints in the log and from what
 * this process has seen.
 */
import { LRUCache } from 'lru-cache';
import { type Plan, PLANS } from '../../../commands/subscription/plans.ts';
import { usageDecider, usageId } from '../../../commands/usage/usage.ts';
import { endOfPeriodMs, periodOf } from '../../../events/period.ts';
import { laterTotals } from '../../../events/usage-events.ts';
import { subscriptionsProjection } from '../../../projections/subscriptions.ts';
import {
  type Counted,
  type KnownMonth,
  type Meter,
  type MeterReading,
  MeterUnavailable,
  type Read,
} from '../../ports/meter.ts';
import type { Metering } from '../metering.ts';
import { readShared } from '../read-view.ts';
import { type Refusal, refuse } from '../refusals.ts';
import type { Services } from '../services.ts';
import { type NoteThresholds, reachedPercent } from './quota-thresholds.ts';

interface MeteringParts extends Pick<Services, 'commands' | 'views' | 'logMs'> {
  readonly meter: Meter;
  readonly noteThresholds: NoteThresholds;
}

type Unseeded = Extract<Counted | Read, { kind: 'unseeded' }>;

const MAX_SEEN_ACCOUNTS = 10_000;
/** The engine may lose what it was told at any moment, but hardly again and again. */
const SEED_TRIES = 3;

export function createMetering({ meter, commands, views, logMs, noteThresholds }: MeteringParts): Metering {
  /** The latest month of each account, as this process has seen it. */
  const seen = new LRUCache<string, KnownMonth>({ max: MAX_SEEN_ACCOUNTS });

  /**
   * Asks until the engine knows the month. It is told each time what is known: it may have been set back, and not know.
   */
  async function asking<Answer extends { readonly kind: string; readonly reading: MeterReading }>(
    accountId: string,
    at: string,
    ask: (known: KnownMonth) => Promise<Answer | Unseeded>,
  ): Promise<Answer> {
    for (let attempt = 1; attempt <= SEED_TRIES; attempt += 1) {
      const known = seen.get(accountId) ?? (await loadMonth(accountId, periodOf(at), at));
      const answer = await ask(known);
      if (isUnseeded(answer)) {
        await meter.seed({ accountId, ...(await loadMonth(accountId, answer.period, at)) });
        continue;
      }
      const { month } = answer.reading;
      // A month begins for this process: the next request tells the engine what others have checkpointed of it.
      if (month.period !== known.period) await loadMonth(accountId, month.period, at);
      note(accountId, month);
      return answer;
    }
    throw new MeterUnavailable('the engine of the meter forgets what it is told');
  }

  /** What the log has of the month, or this process has seen where that is more. */
  async function loadMonth(accountId: string, period: string, at: string): Promise<KnownMonth> {
    const log = commands.within(performance.now() + logMs);
    const { state } = await log.load(usageDecider, usageId(accountId, period), at);
    return note(accountId, { period, totals: state });
  }

  /** Answers may overtake one another; and the clock of the engine may have been ahead for a while. */
  function note(accountId: string, { period, totals }: KnownMonth): KnownMonth {
    const known = seen.get(accountId);
    const month = { period, totals: known?.period === period ? laterTotals(known.totals, totals) : totals };
    seen.set(accountId, month);
    return month;
  }

  async function planOf(accountId: string): Promise<Plan | null> {
    const subscription = await readShared(views, subscriptionsProjection, accountId);
    return subscription === undefined ? null : PLANS[subscription.plan];
  }

  return {
    history: (question) => meter.history(question),
    async admit({ caller, operation, costsQuota, at }) {
      const { accountId, keyId } = caller;
      const plan = await planOf(accountId);
      if (plan === null) return { kind: 'no_plan', refusal: PLAN_REQUIRED };
      const draw = { accountId, keyId, operation, allowance: plan, costsQuota };
      const counted = await asking<Exclude<Counted, Unseeded>>(accountId, at, (known) =>
        meter.count(draw, known),
      );
      const { reading } = counted;
      const percent = reachedPercent(reading, plan);
      if (percent > 0) noteThresholds({ accountId, plan, reading, percent });
      if (counted.kind === 'refused')
        return { kind: 'refused', plan, reading, refusal: refusalBy(counted.by, plan, reading) };
      const giveBack = once(() => (costsQuota ? meter.giveBack(counted.receipt) : Promise.resolve()));
      return { kind: 'admitted', plan, reading, giveBack };
    },
    async usage(accountId, at) {
      const plan = await planOf(accountId);
      if (plan === null) return null;
      const { reading } = await asking<Exclude<Read, Unseeded>>(accountId, at, (known) =>
        meter.read(accountId, plan, known),
      );
      return { plan, reading };
    },
  };
}

function isUnseeded(answer: { readonly kind: string }): answer is Unseeded {
  return answer.kind === 'unseeded';
}

const PLAN_REQUIRED = refuse(
  'plan_required',
  'The account has no plan for the Data API: ask the operator for one.',
).refusal;

function refusalBy(by: 'minute' | 'month', plan: Plan, { nowMs, minute, month }: MeterReading): Refusal {
  const [code, limit, what, endsAtMs] =
    by === 'minute'
      ? (['rate_limited', plan.perMinute, 'requests in any minute', minute.resetAtMs] as const)
      : (['quota_exceeded', plan.perMonth, 'requests in a month', endOfPeriodMs(month.period)] as const);
  const retryAfterSeconds = Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000));
  const message = `The plan ${plan.name} has ${limit} ${what}, with all keys of the account; try again in ${retryAfterSeconds} s.`;
  return refuse(code, message, { retryAfterSeconds }).refusal;
}

function once(act: () => Promise<void>): () => Promise<void> {
  let acted: Promise<void> | undefined;
  return () => (acted ??= act());
}
