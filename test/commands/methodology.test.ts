import type { Methodology } from '../../events/methodology-events.ts';
import { methodologyDecider } from '../../commands/methodology/methodology.ts';
import { scenarios } from '../support/given-when-then.ts';
import { check, DAY_1, DAY_2, methodology } from '../support/sample-directory.ts';

const given = scenarios(methodologyDecider);
const publish = (rules: Methodology) => ({ type: 'PublishMethodology', methodology: rules }) as const;
const published = (rules: Methodology) =>
  ({ type: 'MethodologyPublished', data: { methodology: rules }, at: DAY_1 }) as const;
const first = published(methodology());
const second = published(methodology({ version: '1.10' }));

describe('The methodology', () => {
  it('is published', () => {
    given().when(publish(methodology()), DAY_1).thenFacts({ type: first.type, data: first.data });
  });

  it('is followed by newer versions, by number and not by text', () => {
    given(first)
      .when(publish(methodology({ version: '1.10' })), DAY_2)
      .thenFacts({ type: second.type, data: second.data });
    given(first, second)
      .when(publish(methodology({ version: '1.9' })), DAY_2)
      .thenRejected({ kind: 'version_not_newer', current: '1.10' });
  });

  it('has each number once, however it is written', () => {
    given(first)
      .when(publish(methodology({ version: '1.00' })), DAY_2)
      .thenRejected({ kind: 'version_not_newer', current: '1.0' });
  });

  it('is not changed by a version that was published before', () => {
    given(first).when(publish(methodology()), DAY_2).thenNothing();
    given(first, second).when(publish(methodology()), DAY_2).thenNothing();
  });

  it('never changes a version', () => {
    given(first, second)
      .when(publish(methodology({ title: 'Another' })), DAY_2)
      .thenRejected({ kind: 'version_differs', version: '1.0' });
  });

  const { tiers, autonomyLevels } = methodology();
  const contradictions: [string, Partial<Methodology>, string, string][] = [
    [
      'a check twice',
      { checks: [check('identity'), check('approval'), check('identity')] },
      'checks.2.id',
      'the check identity stands here twice',
    ],
    [
      'a required check that is none',
      { checks: [check('identity')] },
      'tiers.3.requiredChecks.1',
      'there is no check approval',
    ],
    [
      'tiers in another order',
      { tiers: tiers.toReversed().map((tier) => ({ ...tier, minimumScore: 0, requiredChecks: [] })) },
      'tiers',
      'must be unverified, listed, verified, audited, in this order, each once',
    ],
    [
      'a lowest tier that is not open to all',
      { tiers: tiers.map((tier) => ({ ...tier, minimumScore: 90 })) },
      'tiers.0',
      'the lowest tier must be open to every agent',
    ],
    [
      'a higher tier that is easier to reach',
      {
        tiers: tiers.map((tier, index) => ({ ...tier, minimumScore: index === 2 ? 10 : tier.minimumScore })),
      },
      'tiers.2.minimumScore',
      'must not be lower than in the tier below',
    ],
    [
      'missing autonomy levels',
      { autonomyLevels: autonomyLevels.slice(1) },
      'autonomyLevels',
      'must be 1 operator, 2 collaborator, 3 consultant, 4 approver, 5 observer, in this order',
    ],
    [
      'a change log about another version',
      { changeLog: [{ version: '0.9', changes: ['x'] }] },
      'changeLog.0.version',
      'the newest entry must be about version 1.0',
    ],
  ];
  for (const [what, overrides, path, message] of contradictions) {
    it(`is refused with ${what}`, () => {
      given()
        .when(publish(methodology(overrides)), DAY_1)
        .thenRejected({ kind: 'inconsistent', fieldErrors: [{ path, message }] });
    });
  }
});
