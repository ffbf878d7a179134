import Database from 'better-sqlite3';
import { expect } from 'chai';
import { agencyDecider } from '../../commands/agency/agency.ts';
import { canonicalJson } from '../../events/canonical-json.ts';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { buildEvents } from '../../src/commanding/build-events.ts';
import { readAll } from '../support/event-log.ts';
import { call } from '../support/run-commands.ts';
import { DAY_1, profile } from '../support/sample-directory.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

describe('What is built of facts', () => {
  let folder: TempFolder;
  before(async () => (folder = await tempFolder()));
  after(() => folder.remove());

  it('stands in the embedded log as the canonical texts of which its id and hash are made', async () => {
    const path = folder.file('log.db');
    const { store, close } = await openSqliteLog({ path });
    const command = { type: 'RegisterAgency', agency: 'ledgerworks', profile: profile() } as const;
    const outcome = await createCommandRunner(store).run(agencyDecider, 'ledgerworks', command, call());
    await close();

    const db = new Database(path, { readonly: true });
    const rows = db.prepare('SELECT data, meta FROM events').all();
    db.close();
    const events = outcome.kind === 'accepted' ? outcome.events : [];
    expect(events).to.have.length(1);
    expect(rows).to.deep.equal(
      events.map(({ data, meta }) => ({ data: canonicalJson(data), meta: canonicalJson(meta) })),
    );
  });
});

describe('The id of an event', () => {
  const fact = { type: 'AgencyRevised', data: { agency: 'ledgerworks', profile: profile() } } as const;
  const place = { streamId: 'agency-ledgerworks', revision: 3, at: DAY_1, headHash: null };
  const idOf = (overrides: Parameters<typeof call>[0], there: Partial<typeof place> = {}) =>
    buildEvents([fact], call({ commandId: 'c', requestId: 'r', actor: 'cli', ...overrides }), {
      ...place,
      ...there,
    }).events[0]?.id;

  it('is the same for all that says the same, and another where only who said it differs', () => {
    expect(idOf({})).to.equal(idOf({}));
    const others = [idOf({ commandId: 'd' }), idOf({ requestId: 's' }), idOf({ actor: 'seed' })];
    others.push(
      idOf({ causationId: 'evt_1' }),
      idOf({}, { streamId: 'agency-other' }),
      idOf({}, { revision: 4 }),
    );
    expect(new Set([idOf({}), ...others]).size).to.equal(1 + others.length);
  });
});

describe('Half a surrogate pair in an event, from before that was refused', () => {
  const agency = 'ledgerworks';
  const description = 'Books \ud83d';
  let folder: TempFolder;
  before(async () => (folder = await tempFolder()));
  after(() => folder.remove());

  it('goes into the next events as it is, since everything else may have to change', async () => {
    const { store, close } = await openSqliteLog({ path: folder.file('log.db') });
    const runner = createCommandRunner(store);
    const registered = { type: 'RegisterAgency', agency, profile: profile({ description }) } as const;
    await runner.run(agencyDecider, agency, registered, call());
    const renamed = { type: 'ReviseAgency', changes: { name: 'Ledgerworks Europe' } } as const;
    await runner.run(agencyDecider, agency, renamed, call());

    const stored = await readAll(store, `agency-${agency}`);
    await close();
    expect(stored.map(({ data }) => data)).to.deep.equal([
      { agency, profile: profile({ description }) },
      { agency, profile: profile({ description, name: 'Ledgerworks Europe' }) },
    ]);
  });

  it('does not come into a hash chain, which could not be verified', () => {
    const fact = { type: 'AgencyRevised', data: { agency, profile: profile({ description }) } } as const;
    const place = { streamId: 'chained', revision: -1, at: DAY_1, headHash: '0'.repeat(64) };
    expect(() => buildEvents([fact], call(), place)).to.throw(TypeError, /half a surrogate pair/);
  });
});
