/** What may be asked of one mandate, at times that leap and run backwards, and what becomes of it. */
import fc from 'fast-check';
import { type Decision, fold } from '../../commands/decider.ts';
import { SNAPSHOT_EVERY_EVENTS } from '../../commands/decider.ts';
import type { Mandate } from '../../commands/mandate/mandate-state.ts';
import { type MandateCommand, mandateDecider } from '../../commands/mandate/mandate.ts';
import type { MandateRejection } from '../../commands/mandate/rejections.ts';
import type { Occurred, RecordedEvent } from '../../events/event.ts';
import { GENESIS } from '../../events/hash-chain.ts';
import type { MandateFact, MandateTerms } from '../../events/mandate-events.ts';
import { buildEvents } from '../../src/commanding/build-events.ts';
import { call } from '../support/run-commands.ts';
import { AT, grant, mandateId, release, spend, terms } from '../support/sample-mandate.ts';

/** One wish, before it is known which spends there are to be given back. */
export type Wish =
  | { readonly kind: 'spend'; readonly amountCents: number; readonly isElsewhere: boolean }
  /** Gives back the nth of the spends that stand, if there are any. */
  | { readonly kind: 'release'; readonly nth: number }
  | { readonly kind: 'amend'; readonly terms: MandateTerms }
  | { readonly kind: 'suspend' | 'resume' | 'revoke' };

export interface Step {
  readonly wish: Wish;
  /** How the clock moves before it. */
  readonly afterMs: number;
  /** Whether so many events lie behind that the balance is carried now. */
  readonly isSnapshotDue: boolean;
}

const DAY_MS = 86_400_000;

const someTerms: fc.Arbitrary<MandateTerms> = fc
  .record({
    maxPerTransactionCents: fc.integer({ min: 0, max: 400 }),
    maxMonthlyCents: fc.integer({ min: 0, max: 1_000 }),
    allowedActions: fc.integer({ min: 0, max: 5 }).map((n) => (n === 0 ? [] : ['trial:create'])),
    validFrom: fc.constantFrom(null, null, null, '2026-12-05T00:00:00.000Z'),
    expiresAt: fc.constantFrom(null, null, null, '2027-01-20T00:00:00.000Z'),
    maxSpendsPerMonth: fc.constantFrom(null, null, 1, 3),
    allowedAgencies: fc.boolean().map((isSet) => (isSet ? ['ledgerworks'] : null)),
    allowedAgents: fc.boolean().map((isSet) => (isSet ? ['invoice-matcher'] : null)),
  })
  .map(terms);

const wish: fc.Arbitrary<Wish> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('spend' as const),
      amountCents: fc.integer({ min: 0, max: 300 }),
      isElsewhere: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('release' as const), nth: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('amend' as const), terms: someTerms }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('suspend', 'resume', 'resume') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('revoke', 'resume', 'resume', 'resume') }) },
);

const clockMs: fc.Arbitrary<number> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: DAY_MS }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 40 * DAY_MS }) },
  { weight: 2, arbitrary: fc.integer({ min: -40 * DAY_MS, max: 0 }) },
);

export const steps: fc.Arbitrary<{ readonly granted: MandateTerms; readonly steps: readonly Step[] }> =
  fc.record({
    granted: someTerms,
    steps: fc.array(
      fc.record({
        wish,
        afterMs: clockMs,
        isSnapshotDue: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
      }),
      { maxLength: 30, size: 'max' },
    ),
  });

export interface Played {
  readonly command: MandateCommand;
  /** What the clock said; the decision may be dated later. */
  readonly clock: string;
  readonly decision: Decision<MandateFact, MandateRejection>;
  readonly events: readonly RecordedEvent[];
}

/** Decides the steps one after another, as the command runner would, and seals what is decided. */
export function play({
  granted,
  steps,
}: {
  granted: MandateTerms;
  steps: readonly Step[];
}): readonly Played[] {
  const played: Played[] = [];
  const standing: MandateCommand[] = [];
  let state: Mandate = mandateDecider.initial;
  let last = { revision: -1, at: '', headHash: GENESIS };
  let clockAt = Date.parse(AT);

  const decide = (command: MandateCommand, isSnapshotDue: boolean): void => {
    const clock = new Date(clockAt).toISOString();
    const at = clock > last.at ? clock : last.at;
    const before =
      isSnapshotDue && state.status !== 'absent'
        ? { ...state, eventsSinceSnapshot: SNAPSHOT_EVERY_EVENTS }
        : state;
    const decision = mandateDecider.decide(command, before, at);
    const streamId = `mandate-${mandateId}`;
    const facts = decision.ok ? decision.facts : [];
    const built = buildEvents(facts, call({ at: clock }), {
      streamId,
      at,
      revision: last.revision,
      headHash: last.headHash,
    });
    const events = built.events.map((event) => ({ ...event, position: String(event.revision) }));
    played.push({ command, clock, decision, events });
    if (events.length === 0) return;
    state = events.reduce(evolved, state);
    last = { revision: last.revision + events.length, at, headHash: built.headHash ?? GENESIS };
    if (command.type === 'SpendAgainstMandate') standing.push(command);
  };

  decide(grant(granted), false);
  for (const [index, step] of steps.entries()) {
    clockAt += step.afterMs;
    const command = commandOf(step.wish, index, played, standing);
    if (command !== null) decide(command, step.isSnapshotDue);
  }
  return played;
}

function commandOf(
  wished: Wish,
  index: number,
  played: readonly Played[],
  standing: MandateCommand[],
): MandateCommand | null {
  switch (wished.kind) {
    case 'spend': {
      const command = spend(wished.amountCents, `spend ${index}`);
      const elsewhere = { agency: 'other', agent: { slug: 'another', name: 'Another' } };
      return wished.isElsewhere ? { ...command, order: { ...command.order, ...elsewhere } } : command;
    }
    case 'release': {
      const [taken] = standing.splice(wished.nth % Math.max(1, standing.length), 1);
      return taken?.type === 'SpendAgainstMandate' ? releaseOf(taken.spendId, played) : null;
    }
    case 'amend':
      return { type: 'AmendMandate', changes: wished.terms };
    case 'suspend':
      return { type: 'SuspendMandate', reason: 'a look is needed' };
    case 'resume':
      return { type: 'ResumeMandate' };
    case 'revoke':
      return { type: 'RevokeMandate', reason: 'the key was lost' };
  }
}

function releaseOf(spendId: string, played: readonly Played[]): MandateCommand {
  for (const { decision } of played) {
    for (const fact of decision.ok ? decision.facts : []) {
      if (fact.type !== 'MandateSpent' || fact.data.spendId !== spendId) continue;
      const { amountCents, period, order } = fact.data;
      return { ...release(amountCents, period), spendId, jobId: order.jobId };
    }
  }
  throw new Error(`${spendId} was never made`);
}

/** The state that these events of a mandate lead to, whatever came before them. */
export function folded(events: readonly RecordedEvent[]): Mandate {
  return fold(mandateDecider, events.map(occurred));
}

function evolved(state: Mandate, event: RecordedEvent): Mandate {
  return mandateDecider.evolve(state, occurred(event));
}

/** Everything here was sealed from a mandate's facts. */
function occurred(event: RecordedEvent): Occurred<MandateFact> {
  return event as unknown as Occurred<MandateFact>;
}
