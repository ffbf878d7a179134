import { expect } from 'chai';
import fc from 'fast-check';
import { isMandateSnapshot } from '../../commands/mandate/mandate-state.ts';
import type { RecordedEvent } from '../../events/event.ts';
import { auditOf } from '../support/sample-history.ts';
import { folded, play, type Played, steps } from './mandate.arbitrary.ts';
import { emptyNotebook, note, type Verdict } from './mandate.model.ts';

describe('A mandate, whatever is asked of it and whatever the clock does', () => {
  it('decides as one would by a notebook, and no spend passes a cap', () => {
    fc.assert(
      fc.property(steps, (wished) => {
        const notebook = emptyNotebook(wished.granted);
        for (const { command, clock, decision, events } of play(wished)) {
          expect(verdictOf(decision)).to.deep.equal(note(notebook, command, clock));
          for (const { type, data } of events) {
            if (type !== 'MandateSpent') continue;
            const { period, spentThisPeriodCents } = spentData(data);
            const month = notebook.months.get(period);
            expect(spentThisPeriodCents).to.equal(month?.cents);
            expect(spentThisPeriodCents).to.be.at.most(notebook.terms.maxMonthlyCents);
            expect(month?.count).to.be.at.most(notebook.terms.maxSpendsPerMonth ?? Infinity);
          }
        }
      }),
    );
  });

  it('is the same whether it is folded from its beginning or from any of its snapshots', () => {
    fc.assert(
      fc.property(steps, (wished) => {
        const events = allEvents(play(wished));
        for (const [index, { type }] of events.entries()) {
          if (isCarry(type)) expect(folded(events.slice(index))).to.deep.equal(folded(events));
        }
      }),
    );
  });

  it('carries its balance in a good part of these histories: the properties above are about something', () => {
    const histories = fc.sample(steps, 100).map((wished) => allEvents(play(wished)));
    const carried = histories.filter((events) => events.some(({ type }) => isCarry(type)));
    const spent = histories.filter((events) => events.some(({ type }) => type === 'MandateSpent'));
    const released = histories.filter((events) => events.some(({ type }) => type === 'SpendReleased'));
    for (const some of [carried, spent, released]) expect(some.length).to.be.above(20);
  });

  it('leaves a history in which the audit finds nothing, and whose months add up to the notebook’s', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (wished) => {
        const played = play(wished);
        const notebook = emptyNotebook(wished.granted);
        for (const { command, clock } of played) note(notebook, command, clock);
        const { findings, periods, state } = await auditOf(allEvents(played));
        expect(findings).to.deep.equal([]);
        expect(state.status).to.equal(notebook.status);
        for (const [period, { cents, count }] of notebook.months) {
          const total = periods.get(period);
          expect(total?.netCents).to.equal(cents);
          expect((total?.spends ?? 0) - (total?.releases ?? 0)).to.equal(count);
        }
      }),
    );
  });
});

function verdictOf(decision: Played['decision']): Verdict {
  if (decision.ok) return decision.facts.length > 0 ? 'done' : 'nothing to do';
  const { rejection } = decision;
  return rejection.kind === 'denied' ? rejection.violations.map(({ reason }) => reason) : 'no';
}

function allEvents(played: readonly Played[]): RecordedEvent[] {
  return played.flatMap(({ events }) => events);
}

function isCarry(type: string): boolean {
  return type !== 'MandateGranted' && isMandateSnapshot(type as Parameters<typeof isMandateSnapshot>[0]);
}

/** The data of an event of type MandateSpent. */
function spentData(data: object): { readonly period: string; readonly spentThisPeriodCents: number } {
  return data as { period: string; spentThisPeriodCents: number };
}
