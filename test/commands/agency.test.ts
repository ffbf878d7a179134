import { agencyDecider } from '../../commands/agency/agency.ts';
import { scenarios } from '../support/given-when-then.ts';
import { DAY_1, DAY_2, profile } from '../support/sample-directory.ts';

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

  it('cannot be revised before it is registered', () => {
    given()
      .when({ type: 'ReviseAgency', changes: { name: 'X' } }, DAY_1)
      .thenRejected({ kind: 'absent' });
  });
});
