import { expect } from 'chai';
import type { Mandate } from '../../commands/mandate/mandate-state.ts';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import type { RecoverSpend } from '../../commands/mandate/recover-spend.ts';
import { fold } from '../../commands/decider.ts';
import type { Occurred } from '../../events/event.ts';
import { idFrom } from '../../events/ids.ts';
import type { MandateFact } from '../../events/mandate-events.ts';
import { AT, granted, keyId, revoked, spent } from '../support/sample-mandate.ts';

const BEFORE = '2026-11-01T00:00:00.000Z';

describe('A spend that the log had lost', () => {
  const recover = (amountCents: number, period = '2026-11'): RecoverSpend => {
    const ids = { spendId: idFrom('spend', AT, 'lost'), jobId: idFrom('job', AT, 'lost') };
    return { type: 'RecoverSpend', spend: { ...ids, keyId, period, amountCents, spentAt: BEFORE } };
  };
  const recovering = (history: readonly Occurred<MandateFact>[], command: RecoverSpend): Mandate => {
    const decision = mandateDecider.decide(command, fold(mandateDecider, history), AT);
    if (!decision.ok) throw new Error('it was refused');
    return fold(mandateDecider, [...history, ...decision.facts.map((fact) => ({ ...fact, at: AT }))]);
  };

  it('counts in its month again, whatever the terms say', () => {
    const history = [granted(BEFORE, { maxMonthlyCents: 2_000, maxSpendsPerMonth: 2 }), spent(BEFORE, 1_500)];
    const now = recovering(history, recover(900));
    expect(now).to.include({ spentCents: 2_400, spendCount: 2 });
  });

  it('changes nothing that is still decided upon where its month is over', () => {
    const history = [granted(BEFORE), spent(BEFORE, 1_500)];
    const now = recovering(history, recover(900, '2026-10'));
    expect(now).to.include({ spentCents: 1_500, spendCount: 1 });
  });

  it('is recorded for a revoked mandate, and for none that is not there', () => {
    const gone = fold(mandateDecider, [granted(BEFORE), revoked(BEFORE)]);
    expect(mandateDecider.decide(recover(900), gone, AT)).to.deep.include({ ok: true });
    const rejection = { kind: 'absent' };
    expect(mandateDecider.decide(recover(900), mandateDecider.initial, AT)).to.deep.equal({
      ok: false,
      rejection,
    });
  });
});
