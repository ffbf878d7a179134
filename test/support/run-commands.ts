/** Running commands in tests: calls with only what matters spelled out, and mandates that no other test touches. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Mandate } from '../../commands/mandate/mandate-state.ts';
import { type MandateCommand, mandateDecider } from '../../commands/mandate/mandate.ts';
import type { MandateRejection } from '../../commands/mandate/rejections.ts';
import type { EventStore } from '../../events/event-store.ts';
import { idFrom } from '../../events/ids.ts';
import type { MandateFact, MandateTerms } from '../../events/mandate-events.ts';
import { auditMandate, type MandateAudit } from '../../src/audit/audit-mandate.ts';
import type { CommandCall, CommandOutcome } from '../../src/commanding/command-call.ts';
import type { CommandRunner } from '../../src/commanding/command-runner.ts';
import { AT, grant, spend } from './sample-mandate.ts';

export type MandateOutcome = CommandOutcome<Mandate, MandateFact, MandateRejection>;

/** A call of its own command, unless `commandId` says otherwise. */
export function call(overrides: Partial<CommandCall> = {}): CommandCall {
  return { at: AT, actor: 'cli', requestId: 'req-1', commandId: randomUUID(), ...overrides };
}

export function newMandateId(): string {
  return idFrom('mandate', AT, randomUUID());
}

/** A mandate that was granted just now; answers with its id. */
export async function grantNew(
  runner: CommandRunner,
  overrides: Partial<MandateTerms> = {},
): Promise<string> {
  const mandateId = newMandateId();
  const outcome = await tell(runner, mandateId, { ...grant(overrides), mandateId });
  expect(outcome.kind).to.equal('accepted');
  return mandateId;
}

export function tell(
  runner: CommandRunner,
  mandateId: string,
  command: MandateCommand,
  overrides: Partial<CommandCall> = {},
): Promise<MandateOutcome> {
  return runner.run(mandateDecider, mandateId, command, call(overrides));
}

/** A spend of its own. */
export function spendOf(amountCents: number): MandateCommand {
  return spend(amountCents, randomUUID());
}

/** Many wishes at the same time. */
export function spendMany(
  runner: CommandRunner,
  mandateId: string,
  count: number,
  amountCents: number,
  overrides: Partial<CommandCall> = {},
): Promise<MandateOutcome[]> {
  const wishes = Array.from({ length: count }, () => spendOf(amountCents));
  return Promise.all(wishes.map((wish) => tell(runner, mandateId, wish, overrides)));
}

export function countOf(outcomes: readonly { readonly kind: string }[], kind: string): number {
  return outcomes.filter((outcome) => outcome.kind === kind).length;
}

/** The audit of a mandate's whole stream, which must find nothing. */
export async function soundAudit(store: EventStore, mandateId: string): Promise<MandateAudit> {
  const audit = await auditMandate(store, mandateId, null);
  expect(audit.findings).to.deep.equal([]);
  return audit;
}

/** What the log says was spent and not released, in all months. */
export async function netCents(store: EventStore, mandateId: string): Promise<number> {
  const { periods } = await soundAudit(store, mandateId);
  return [...periods.values()].reduce((sum, period) => sum + period.netCents, 0);
}
