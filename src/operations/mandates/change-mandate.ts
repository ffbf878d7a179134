/** What the owner of a key does with its mandate; for the command line and the dashboard alike. */
import { mandateDecider, type MandateCommand } from '../../../commands/mandate/mandate.ts';
import type { ResumeMandate, SuspendMandate } from '../../../commands/mandate/suspend-mandate.ts';
import type { GrantedMandate } from '../../../commands/mandate/mandate-state.ts';
import { LogContradiction } from '../../../events/event-store.ts';
import { type MandateTerms, termsSchema } from '../../../events/mandate-events.ts';
import type { CommandCall } from '../../commanding/command-call.ts';
import { auditMandate } from '../../audit/audit-mandate.ts';
import { totalFrom } from '../../audit/period-totals.ts';
import { afterEffect } from '../after-effect.ts';
import { idempotencyMismatch } from '../idempotency.ts';
import { refuse, standsAt, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { mandateIdOf, noSuchKey } from './find-mandate.ts';

const changesSchema = termsSchema.partial();

type Changing = Pick<Services, 'commands' | 'views'>;

export type ChangedMandate =
  | { readonly ok: true; readonly mandate: GrantedMandate; readonly changedNow: boolean }
  | Refused;

/** Replaces the terms that are named and leaves the others. What was spent in the month stays counted. */
export async function amendMandate(
  services: Changing,
  keyId: string,
  changes: Partial<MandateTerms>,
  call: CommandCall,
): Promise<ChangedMandate> {
  const mandateId = await mandateIdOf(services, keyId, call.at);
  if (mandateId === undefined) return noSuchKey(services, keyId);
  const checked = changesSchema.safeParse(changes);
  if (!checked.success) {
    const [fault] = checked.error.issues;
    const path = fault?.path.join('.') ?? '';
    return refuse('invalid_request', `${path} ${fault?.message ?? 'is not valid'}`);
  }
  return run(services, mandateId, { type: 'AmendMandate', changes }, call);
}

/** Suspended, every spend is refused until the mandate is resumed. */
export async function changeMandate(
  services: Changing,
  keyId: string,
  command: SuspendMandate | ResumeMandate,
  call: CommandCall,
): Promise<ChangedMandate> {
  const mandateId = await mandateIdOf(services, keyId, call.at);
  return mandateId === undefined ? noSuchKey(services, keyId) : run(services, mandateId, command, call);
}

/**
 * Puts right a mandate that a fast clock has carried into a later month: it goes back to the month that it is, and all
 * that was counted since that month began counts in it.
 */
export async function correctPeriod(
  services: Changing & Pick<Services, 'events'>,
  keyId: string,
  { period, reason }: { readonly period: string; readonly reason: string },
  call: CommandCall,
): Promise<ChangedMandate> {
  const mandateId = await mandateIdOf(services, keyId, call.at);
  if (mandateId === undefined) return noSuchKey(services, keyId);
  const { state, periods, findings, events } = await auditMandate(services.events, mandateId, null);
  const [fault] = findings;
  if (state.status === 'absent' || fault !== undefined)
    return refuse('conflict', `the mandate does not hold: ${fault?.problem ?? 'it is not there'}`, {
      details: standsAt('revision', String(fault?.revision ?? 'none')),
    });
  const { netCents, spends, releases } = totalFrom(periods, period);
  const read = {
    revision: events - 1,
    period: state.period,
    spentCents: state.spentCents,
    spendCount: state.spendCount,
    eventsSinceSnapshot: state.eventsSinceSnapshot,
  };
  const totals = { spentCents: netCents, spendCount: spends - releases };
  return run(services, mandateId, { type: 'CorrectMandatePeriod', period, ...totals, read, reason }, call);
}

async function run(
  { commands }: Changing,
  mandateId: string,
  command: MandateCommand,
  call: CommandCall,
): Promise<ChangedMandate> {
  const outcome = await commands.run(mandateDecider, mandateId, command, call);
  if (outcome.kind === 'mismatch') return idempotencyMismatch();
  if (outcome.kind === 'rejected') {
    const { rejection } = outcome;
    if (rejection.kind === 'changed')
      return refuse('conflict', 'somebody has spent meanwhile: the same again reads anew', {
        details: standsAt('revision', 'changed'),
      });
    if (rejection.kind === 'period')
      return refuse(
        'conflict',
        `the mandate is in ${rejection.period}, and can be put right only to the month that this machine's clock has, when that is an earlier one`,
        { details: standsAt('period', rejection.period) },
      );
    // The key is there, and was made after its mandate.
    if (rejection.kind !== 'status') throw new LogContradiction(`${mandateId} has a key and is not there`);
    const { status } = rejection;
    return refuse('conflict', `the mandate is ${status}, which does not allow this`, {
      details: standsAt('status', status),
    });
  }
  const { state } = await afterEffect(commands.load(mandateDecider, mandateId, call.at));
  if (state.status === 'absent') throw new LogContradiction(`${mandateId} was changed and is not there`);
  return { ok: true, mandate: state, changedNow: outcome.kind === 'accepted' };
}
