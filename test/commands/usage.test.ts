import { expect } from 'chai';
import { type CheckpointUsage, usageDecider } from '../../commands/usage/usage.ts';
import type { Occurred } from '../../events/event.ts';
import { laterTotals, type UsageFact, usedOf } from '../../events/usage-events.ts';
import { scenarios } from '../support/given-when-then.ts';
import { AT, accountId } from '../support/sample-mandate.ts';

const given = scenarios(usageDecider);

const usage = (counted: number, returned: number) => {
  return { accountId, period: '2026-11', totals: { counted, returned } };
};
const checkpoint = (counted: number, returned = 0): CheckpointUsage => {
  return { type: 'CheckpointUsage', ...usage(counted, returned) };
};
const checkpointed = (counted: number, returned = 0): UsageFact => {
  return { type: 'UsageCheckpointed', data: usage(counted, returned) };
};
const at = (fact: UsageFact): Occurred<UsageFact> => ({ ...fact, at: AT });

describe('The use of a month', () => {
  it('is kept as it grows; what is known already is not kept again', () => {
    given().when(checkpoint(10), AT).thenFacts(checkpointed(10));
    given(at(checkpointed(10)))
      .when(checkpoint(10), AT)
      .thenNothing();
    given(at(checkpointed(10)))
      .when(checkpoint(10, 1), AT)
      .thenFacts(checkpointed(10, 1));
  });

  it('never shrinks, and is never added up: a late reading takes nothing back', () => {
    given(at(checkpointed(10, 2)))
      .when(checkpoint(9, 1), AT)
      .thenNothing();
    given(at(checkpointed(10, 2)))
      .when(checkpoint(12, 1), AT)
      .thenFacts(checkpointed(12, 2));
  });

  it('costs no less than nothing, whatever was given back', () => {
    expect(usedOf({ counted: 10, returned: 4 })).to.equal(6);
    expect(usedOf(laterTotals({ counted: 10, returned: 0 }, { counted: 3, returned: 12 }))).to.equal(0);
  });
});
