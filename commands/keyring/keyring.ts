/**
 * What an account lets its keys give over the API, and how much of it is given. A share is set aside here before a key
 * is made, changed or given a new secret, so that however many are made at once, together they never have more than is
 * allowed. A share only grows until its key is revoked: a cap that is lowered could be raised again by a change that is
 * under way, and what was spent of it stays spent. The share of a revoked key counts on until its month is over, for it
 * may have been spent: else one key after another could spend all of it.
 */
import { orderedJson } from '../../events/canonical-json.ts';
import type { Occurred } from '../../events/event.ts';
import type { CarriedKeyring, KeyAllowance, KeyringFact } from '../../events/keyring-events.ts';
import { periodOf } from '../../events/period.ts';
import {
  accept,
  assertNever,
  type Decider,
  type Decision,
  reject,
  SNAPSHOT_EVERY_EVENTS,
} from '../decider.ts';
import { above, type Excess, excesses, type WantedPowers } from './excesses.ts';

/** An operator's word; null takes it back. */
export interface SetKeyAllowance {
  readonly type: 'SetKeyAllowance';
  readonly accountId: string;
  readonly allowance: KeyAllowance | null;
}

export interface AllotKey {
  readonly type: 'AllotKey';
  readonly accountId: string;
  readonly keyId: string;
  readonly wanted: WantedPowers;
  /** What is allowed where no operator has said otherwise: what the key that asks has itself. */
  readonly otherwise: KeyAllowance;
}

export interface EndKeyAllotment {
  readonly type: 'EndKeyAllotment';
  readonly accountId: string;
  readonly keyId: string;
}

export type KeyringCommand = SetKeyAllowance | AllotKey | EndKeyAllotment;

interface Share {
  readonly maxMonthlyCents: number;
  readonly maxSpendsPerMonth: number | null;
}

export interface Keyring {
  readonly allowance: KeyAllowance | null;
  readonly shares: ReadonlyMap<string, Share>;
  /** What keys had that were revoked in the last month in which any was; null: none ever was. */
  readonly ended: EndedShares | null;
  /** How many events a load has to read back to the last snapshot. */
  readonly eventsSinceSnapshot: number;
}

/** The shares of all of them together: a sum, so that it does not grow with the keys that are made and revoked. */
interface EndedShares extends Share {
  readonly period: string;
}

export interface KeyringRejection {
  readonly kind: 'beyond_allowance';
  readonly excesses: readonly [Excess, ...Excess[]];
}

export const keyringDecider: Decider<Keyring, KeyringCommand, KeyringFact, KeyringRejection> = {
  family: 'keyring',
  initial: { allowance: null, shares: new Map(), ended: null, eventsSinceSnapshot: 0 },
  evolve,
  decide,
  isSnapshot: (_type, data) => 'carried' in data,
};

function evolve(keyring: Keyring, event: Occurred<KeyringFact>): Keyring {
  if ('carried' in event.data && event.data.carried !== undefined) return fromSnapshot(event.data.carried);
  return { ...evolved(keyring, event), eventsSinceSnapshot: keyring.eventsSinceSnapshot + 1 };
}

function fromSnapshot({ allowance, shares, ended }: CarriedKeyring): Keyring {
  const byKey = shares.map(({ keyId, ...share }) => [keyId, share] as const);
  return { allowance, shares: new Map(byKey), ended, eventsSinceSnapshot: 0 };
}

/** The fact, with the keyring as it is after it where a snapshot is due. */
function carrying<F extends Extract<KeyringFact, { type: 'KeyAllotted' | 'KeyAllotmentEnded' }>>(
  keyring: Keyring,
  fact: F,
  at: string,
): F {
  if (keyring.eventsSinceSnapshot < SNAPSHOT_EVERY_EVENTS) return fact;
  const { allowance, shares, ended } = evolved(keyring, { ...fact, at });
  const list = [...shares].map(([keyId, share]) => ({ keyId, ...share }));
  return { ...fact, data: { ...fact.data, carried: { allowance, shares: list, ended } } };
}

function evolved(keyring: Keyring, event: Occurred<KeyringFact>): Keyring {
  switch (event.type) {
    case 'KeyAllowanceSet':
      return { ...keyring, allowance: event.data.allowance };
    case 'KeyAllotted': {
      const { keyId, maxMonthlyCents, maxSpendsPerMonth } = event.data;
      const shares = new Map(keyring.shares).set(keyId, { maxMonthlyCents, maxSpendsPerMonth });
      return { ...keyring, shares };
    }
    case 'KeyAllotmentEnded': {
      const shares = new Map(keyring.shares);
      const share = shares.get(event.data.keyId);
      shares.delete(event.data.keyId);
      const ended = share === undefined ? keyring.ended : endedWith(share, periodOf(event.at), keyring.ended);
      return { ...keyring, shares, ended };
    }
    default:
      return assertNever(event);
  }
}

function endedWith(share: Share, period: string, before: EndedShares | null): EndedShares {
  const ended = before?.period === period ? [before, share] : [share];
  return {
    period,
    maxMonthlyCents: ended.reduce((sum, one) => sum + one.maxMonthlyCents, 0),
    maxSpendsPerMonth: sumOf(ended, (one) => one.maxSpendsPerMonth),
  };
}

function decide(
  command: KeyringCommand,
  keyring: Keyring,
  at: string,
): Decision<KeyringFact, KeyringRejection> {
  const { accountId } = command;
  switch (command.type) {
    case 'SetKeyAllowance': {
      const { allowance } = command;
      if (orderedJson(allowance) === orderedJson(keyring.allowance)) return accept();
      return accept({ type: 'KeyAllowanceSet', data: { accountId, allowance } });
    }
    case 'AllotKey':
      return allot(command, keyring, at);
    case 'EndKeyAllotment': {
      const { keyId } = command;
      if (!keyring.shares.has(keyId)) return accept();
      return accept(carrying(keyring, { type: 'KeyAllotmentEnded', data: { accountId, keyId } }, at));
    }
    default:
      return assertNever(command);
  }
}

function allot(
  { accountId, keyId, wanted, otherwise }: AllotKey,
  keyring: Keyring,
  at: string,
): Decision<KeyringFact, KeyringRejection> {
  const allowance = keyring.allowance ?? otherwise;
  const before = keyring.shares.get(keyId);
  const share = grown(before, wanted.terms);
  const shares = [...new Map(keyring.shares).set(keyId, share).values()];
  const isAsBefore = before !== undefined && orderedJson(before) === orderedJson(share);
  // Where nothing more can be spent, what revoked keys spent is no reason to refuse: a secret must be replaceable.
  const ended = keyring.ended?.period === periodOf(at) && !isAsBefore ? [keyring.ended] : [];
  const [first, ...more] = [...excesses(allowance, wanted), ...excessesTogether(allowance, shares, ended)];
  if (first !== undefined) return reject({ kind: 'beyond_allowance', excesses: [first, ...more] });
  if (isAsBefore) return accept();
  return accept(carrying(keyring, { type: 'KeyAllotted', data: { accountId, keyId, ...share } }, at));
}

function grown(before: Share | undefined, { maxMonthlyCents, maxSpendsPerMonth }: Share): Share {
  if (before === undefined) return { maxMonthlyCents, maxSpendsPerMonth };
  const isUnbounded = before.maxSpendsPerMonth === null || maxSpendsPerMonth === null;
  return {
    maxMonthlyCents: Math.max(before.maxMonthlyCents, maxMonthlyCents),
    maxSpendsPerMonth: isUnbounded ? null : Math.max(before.maxSpendsPerMonth, maxSpendsPerMonth),
  };
}

/** @param ended what revoked keys may have spent of this month: they are keys no more */
function excessesTogether(
  { terms, maxKeys }: KeyAllowance,
  shares: readonly Share[],
  ended: readonly Share[],
): readonly Excess[] {
  const spendable = [...shares, ...ended];
  return [
    ...above('keys', maxKeys, shares.length),
    ...above(
      'mandate.maxMonthlyCents',
      terms.maxMonthlyCents,
      sumOf(spendable, (one) => one.maxMonthlyCents),
    ),
    ...above(
      'mandate.maxSpendsPerMonth',
      terms.maxSpendsPerMonth,
      sumOf(spendable, (one) => one.maxSpendsPerMonth),
    ),
  ];
}

/** Null where one of them has no bound. */
function sumOf(shares: readonly Share[], of: (share: Share) => number | null): number | null {
  let sum = 0;
  for (const share of shares) {
    const value = of(share);
    if (value === null) return null;
    sum += value;
  }
  return sum;
}
