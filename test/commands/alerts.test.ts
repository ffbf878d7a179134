import { expect } from 'chai';
import { type AlertCommand, alertsDecider } from '../../commands/alerts/alerts.ts';
import type { AlertFact } from '../../events/alert-events.ts';
import type { Occurred } from '../../events/event.ts';
import { scenarios } from '../support/given-when-then.ts';
import { AT, accountId, keyId, mandateId } from '../support/sample-mandate.ts';

const given = scenarios(alertsDecider);
const LATER = '2026-11-27T09:39:59.999Z';
const MUCH_LATER = '2026-11-27T09:40:00.000Z';
const whose = { mandateId, accountId, keyId };

const reached = (percent: number, period = '2026-11') => {
  const sums = { maxMonthlyCents: 20_000, spentThisPeriodCents: 20_000 };
  return { type: 'MandateThresholdReached', data: { ...whose, period, percent, ...sums } } as const;
};
const note = (percent: number, period = '2026-11'): AlertCommand => {
  return { type: 'NoteThreshold', reached: reached(percent, period).data };
};
const at = (fact: AlertFact, time: string = AT): Occurred<AlertFact> => ({ ...fact, at: time });
const denied: AlertCommand = { type: 'NoteDenial', denied: whose };
const told = { type: 'MandateDenialTold', data: { ...whose, reached: null } } as const;

describe('An account is alerted', () => {
  it('to each threshold of a mandate once a month, whatever is given back and spent again', () => {
    given().when(note(80), AT).thenFacts(reached(80));
    given(at(reached(80)))
      .when(note(80), LATER)
      .thenNothing();
    given(at(reached(80)))
      .when(note(100), LATER)
      .thenFacts(reached(100));
    given(at(reached(80)), at(reached(100)))
      .when(note(80), LATER)
      .thenNothing();
    given(at(reached(100)))
      .when(note(80, '2026-12'), LATER)
      .thenFacts(reached(80, '2026-12'));
    given(at(reached(80, '2026-12')))
      .when(note(100), LATER)
      .thenNothing();
  });

  it('to a denial at once, and to no other for ten minutes', () => {
    given().when(denied, AT).thenFacts(told);
    given(at(told)).when(denied, LATER).thenNothing();
    given(at(told)).when(denied, MUCH_LATER).thenFacts(told);
  });

  it('by what the last denial holds, whatever is before it', () => {
    const carried = { ...told, data: { ...whose, reached: { period: '2026-11', percent: 100 } } } as const;
    given(at(reached(80)), at(reached(100)), at(told))
      .when(denied, MUCH_LATER)
      .thenFacts(told);
    given(at(reached(80)), at(reached(100)))
      .when(denied, LATER)
      .thenFacts(carried);
    given(at(carried)).when(note(100), LATER).thenNothing();
    given(at(carried)).when(denied, LATER).thenNothing();
    const former = { type: 'MandateDenialTold', data: whose } as const;
    given(at(reached(100)), at(former))
      .when(note(100), LATER)
      .thenNothing();
    expect(alertsDecider.isSnapshot?.(carried.type, carried.data)).to.equal(true);
    expect(alertsDecider.isSnapshot?.(former.type, former.data)).to.equal(false);
    expect(alertsDecider.isSnapshot?.('MandateThresholdReached', reached(80).data)).to.equal(false);
  });
});
