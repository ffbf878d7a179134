import { agencyDecider } from '../../commands/agency/agency.ts';
import { SNAPSHOT_EVERY_EVENTS } from '../../commands/decider.ts';
import { scenarios } from '../support/given-when-then.ts';
import { DAY_1, DAY_2, daysAfter, profile } from '../support/sample-directory.ts';

const given = scenarios(agencyDecider);
const agency = 'ledgerworks';
const registered = { type: 'AgencyRegistered', data: { agency, profile: profile() }, at: DAY_1 } as const;

describe('An agency', () => {
  it('is registered with its profile', () => {
    given()
      .when({ type: 'RegisterAgency', agency, profile: profile() }, DAY_1)
      .thenFacts({ type: 'AgencyRegistered', data: { agency, profile: profile() } });
  });

  it('is registered once: the same profile again changes nothing', () => {
    given(registered).when({ type: 'RegisterAgency', agency, profile: profile() }, DAY_2).thenNothing();
  });

  it('is revised by a profile that differs, whole or in part', () => {
    const renamed = profile({ name: 'Ledgerworks Europe' });
    const fact = { type: 'AgencyRevised', data: { agency, profile: renamed } } as const;
    given(registered).when({ type: 'RegisterAgency', agency, profile: renamed }, DAY_2).thenFacts(fact);
    given(registered)
      .when({ type: 'ReviseAgency', changes: { name: 'Ledgerworks Europe' } }, DAY_2)
      .thenFacts(fact);
  });

  it('is revised over a profile with half a character, from before that was refused', () => {
    const data = { agency, profile: profile({ description: 'Books \ud83d' }) };
    given({ ...registered, data })
      .when({ type: 'RegisterAgency', agency, profile: profile() }, DAY_2)
      .thenFacts({ type: 'AgencyRevised', data: { agency, profile: profile() } });
  });

  describe('that may be revised twice a day', () => {
    const revised = (name: string, at: string) =>
      ({ type: 'AgencyRevised', data: { agency, profile: profile({ name }) }, at }) as const;
    const times = [
      '2026-11-02T08:00:00.000Z',
      '2026-11-02T09:00:00.000Z',
      '2026-11-02T10:00:00.000Z',
    ] as const;
    const twice = given(registered, revised('One', times[0]), revised('Two', times[1]));
    const command = { type: 'ReviseAgency', changes: { name: 'Three' } } as const;
    const limited = { ...command, revisionsPerDay: 2 };

    it('is refused a third, and told when it may be again', () => {
      twice.when(limited, times[2]).thenRejected({
        kind: 'revised_often',
        limit: 2,
        freeAt: '2026-11-03T08:00:00.000Z',
      });
    });
    it('is revised again a day after the first of the two', () => {
      const { type, data } = revised('Three', '2026-11-03T08:00:00.000Z');
      twice.when(limited, '2026-11-03T08:00:00.000Z').thenFacts({ type, data });
      given(
        registered,
        revised('One', times[0]),
        revised('Two', times[1]),
        revised('Four', '2026-11-03T08:00:00.000Z'),
      )
        .when(limited, '2026-11-03T08:30:00.000Z')
        .thenRejected({ kind: 'revised_often', limit: 2, freeAt: '2026-11-03T09:00:00.000Z' });
    });
    it('takes what changes nothing, and everything from whoever has no limit', () => {
      twice.when({ ...limited, changes: { name: 'Two' } }, times[2]).thenNothing();
      const { type, data } = revised('Three', times[2]);
      twice.when(command, times[2]).thenFacts({ type, data });
    });
  });

  it('cannot be revised before it is registered', () => {
    given()
      .when({ type: 'ReviseAgency', changes: { name: 'X' } }, DAY_1)
      .thenRejected({ kind: 'absent' });
  });

  describe('that is revised for years', () => {
    const day = (days: number) => daysAfter(DAY_1, days);
    const revised = (days: number) =>
      ({
        type: 'AgencyRevised',
        data: { agency, profile: profile({ name: `Works ${days}` }) },
        at: day(days),
      }) as const;
    const whole = [
      registered,
      ...Array.from({ length: SNAPSHOT_EVERY_EVENTS - 1 }, (_, days) => revised(days)),
    ];
    const at = day(SNAPSHOT_EVERY_EVENTS - 1.5);
    const carried = {
      type: 'AgencyCarried' as const,
      data: {
        agency,
        profile: profile({ name: `Works ${SNAPSHOT_EVERY_EVENTS - 2}` }),
        revisedAt: [day(SNAPSHOT_EVERY_EVENTS - 2)],
      },
    };
    const command = { type: 'ReviseAgency', changes: { name: 'Last' } } as const;
    const last = { type: 'AgencyRevised', data: { agency, profile: profile({ name: 'Last' }) } } as const;

    it('carries a snapshot once it has so many events, before the next fact', () => {
      given(...whole.slice(0, -1))
        .when(command, at)
        .thenFacts(last);
      given(...whole)
        .when(command, at)
        .thenFacts(carried, last);
      given(...whole)
        .when({ type: 'ReviseAgency', changes: {} }, at)
        .thenNothing();
    });
    it('is decided upon from the snapshot as from the whole', () => {
      const limited = { ...command, revisionsPerDay: 1 };
      const freeAt = day(SNAPSHOT_EVERY_EVENTS - 1);
      for (const history of [whole, [{ ...carried, at }]])
        given(...history)
          .when(limited, at)
          .thenRejected({ kind: 'revised_often', limit: 1, freeAt });
      given({ ...carried, at }, { ...last, at })
        .when({ type: 'RegisterAgency', agency, profile: profile({ name: 'Last' }) }, at)
        .thenNothing();
    });
  });
});
