/** Two processes, many wishes at once, a log that fails in every way: what was acknowledged stands, once. */
import { expect } from 'chai';
import fc from 'fast-check';
import { idFrom } from '../../events/ids.ts';
import { OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { type CommandRunner, createCommandRunner } from '../../src/commanding/command-runner.ts';
import { readAll } from '../support/event-log.ts';
import { type Fault, faultyEventStore } from '../support/faulty-event-store.ts';
import { grantNew, type MandateOutcome, soundAudit, tell } from '../support/run-commands.ts';
import { AT, spend } from '../support/sample-mandate.ts';

interface Wish {
  readonly runner: 0 | 1;
  /** Few of them, so that many wishes bear the same. */
  readonly commandId: string;
  readonly amountCents: number;
  readonly afterMs: number;
}

interface Wave {
  /** Sent all at once. */
  readonly wishes: readonly Wish[];
  /** What goes wrong with the next appends. */
  readonly faults: readonly (Fault | undefined)[];
  /** Whether a process forgets all it knew before the wave. */
  readonly restarts: 0 | 1 | null;
}

/** All of them together stay well within the day for which commands are remembered. */
const HALF_HOUR_MS = 30 * 60_000;
const wish: fc.Arbitrary<Wish> = fc.record({
  runner: fc.constantFrom(0 as const, 1 as const),
  commandId: fc.integer({ min: 0, max: 14 }).map((n) => `command ${n}`),
  amountCents: fc.constantFrom(100, 200),
  afterMs: fc.oneof(fc.constant(0), fc.integer({ min: -HALF_HOUR_MS, max: HALF_HOUR_MS })),
});
const wave: fc.Arbitrary<Wave> = fc.record({
  wishes: fc.array(wish, { minLength: 1, maxLength: 8 }),
  faults: fc.array(fc.constantFrom(undefined, undefined, 'refuse', 'lose', 'write silently'), {
    maxLength: 3,
  }),
  restarts: fc.constantFrom(null, null, 0 as const, 1 as const),
});

type Answered = { readonly wish: Wish; readonly outcome: MandateOutcome | Error };

describe('The command runner, whatever fails under it', () => {
  it('does each command once, acknowledges only what stands, and never passes the cap', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(wave, { maxLength: 6 }), async (waves) => {
        const store = faultyEventStore(memoryEventStore());
        const runners = [createCommandRunner(store), createCommandRunner(store)] as const;
        const mandateId = await grantNew(runners[0], { maxMonthlyCents: 1_000 });
        const answers = await sendAll(waves, store, [...runners], mandateId);

        await soundAudit(store, mandateId);
        const events = await readAll(store, `mandate-${mandateId}`);
        const spends = events.filter(({ type }) => type === 'MandateSpent');
        const commandIds = spends.map(({ meta }) => meta.commandId);
        expect(commandIds).to.deep.equal([...new Set(commandIds)]);
        const stored = new Map(spends.map((event) => [event.meta.commandId, event]));
        for (const answer of answers) expectTrue(answer, stored.get(answer.wish.commandId));
      }),
      { numRuns: 60 },
    );
  });
});

async function sendAll(
  waves: readonly Wave[],
  store: ReturnType<typeof faultyEventStore>,
  runners: CommandRunner[],
  mandateId: string,
): Promise<readonly Answered[]> {
  const answers: Answered[] = [];
  let clock = Date.parse(AT);
  for (const { wishes, faults, restarts } of waves) {
    if (restarts !== null) runners[restarts] = createCommandRunner(store);
    store.plan(...faults);
    const sent = wishes.map(async (wish): Promise<Answered> => {
      clock += wish.afterMs;
      const runner = runners[wish.runner] ?? createCommandRunner(store);
      const command = spend(wish.amountCents, 'x', { spendId: idFrom('spend', AT, wish.commandId) });
      const { commandId, amountCents } = wish;
      const call = { commandId, requestHash: String(amountCents), at: new Date(clock).toISOString() };
      return { wish, outcome: await tell(runner, mandateId, command, call).catch(toError) };
    });
    answers.push(...(await Promise.all(sent)));
  }
  return answers;
}

/** Whether the answer is true of what stands in the log under the wish's command id. */
function expectTrue({ wish, outcome }: Answered, stored: unknown): void {
  if (outcome instanceof Error) {
    const isAllowed = outcome instanceof StoreUnavailable || outcome instanceof OutcomeUnknown;
    expect(isAllowed, String(outcome)).to.equal(true);
    return;
  }
  if (outcome.kind === 'accepted' || outcome.kind === 'replayed') {
    const spent = outcome.events.find(({ type }) => type === 'MandateSpent');
    expect({ ...spent, position: '' }).to.deep.equal({ ...(stored as object), position: '' });
    expect(spent).to.have.nested.property('data.amountCents', wish.amountCents);
    expect(outcome.revision).to.equal(spent?.revision);
  }
  if (outcome.kind === 'mismatch') {
    expect(stored).to.have.nested.property('data.amountCents').that.does.not.equal(wish.amountCents);
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
