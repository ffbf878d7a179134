import { createHash } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect } from 'chai';
import { getAgent } from '../../src/operations/directory/get-agent.ts';
import { getBundle } from '../../src/operations/directory/get-bundle.ts';
import { publishFile } from '../../src/publishing/publish-file.ts';
import { verifyBundle } from '../../src/verifying/verify-bundle.ts';
import { answered, done, type Market, openMarket, refused } from '../support/directory-market.ts';
import { DAY_1, DAY_2, methodology } from '../support/sample-directory.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import * as changes from '../../src/operations/directory/writing/changes.ts';
import { A_BUNDLE, AN_AGENT } from './publication.fixture.ts';

const FILE = `
agencies:
  - slug: ledgerworks
    name: Ledgerworks
    tagline: Agents for finance.
    description: Builds agents.
    country: DE
    legalName: Ledgerworks GmbH
    foundedYear: 2021
agents:${AN_AGENT}    assessments:
      - { check: benchmark, result: pass, evidence: [doc], assessedBy: The desk }
bundles:${A_BUNDLE}    folder: bundles/close
`;

describe('Publishing a file', () => {
  let market: Market;
  let folder: TempFolder;
  beforeEach(async () => {
    market = openMarket();
    await done(changes.publishMethodology(methodology())(market.executorAt(DAY_1)));
    folder = await tempFolder();
    await put('bundles/close/SKILL.md', 'Close.');
    await put('bundles/close/notes/a.md', 'A.');
    await put('market.yaml', FILE);
  });
  afterEach(() => folder.remove());

  async function put(name: string, text: string): Promise<void> {
    await mkdir(dirname(folder.file(name)), { recursive: true });
    await writeFile(folder.file(name), text);
  }
  let count = 0;
  const publish = (options: { dryRun?: boolean; at?: string } = {}) =>
    publishFile(market.commands, {
      file: folder.file('market.yaml'),
      dryRun: options.dryRun ?? false,
      call: { at: options.at ?? DAY_1, actor: 'cli', requestId: 'test', commandId: `publish-${count++}` },
    });
  async function faultsOf(): Promise<string[]> {
    const head = await market.events.head();
    const outcome = await publish();
    expect(await market.events.head()).to.equal(head);
    return outcome.ok ? [] : outcome.faults.map(({ path, line, message }) => `${line} ${path}: ${message}`);
  }

  it('adds what it says, and says what it added', async () => {
    const outcome = await publish();
    expect(
      outcome.ok && outcome.changes.map(({ path, events }) => [path, ...events].join(' ')),
    ).to.deep.equal([
      'agencies.0 AgencyRegistered',
      'agents.0 AgentPublished AgentScored',
      'agents.0.evidence.0 EvidenceSubmitted',
      'agents.0.assessments.0 AssessmentRecorded AgentScored',
      'bundles.0 BundleVersionPublished',
    ]);
    const agent = answered(await market.ask(getAgent, { slug: 'invoice-matcher' }));
    expect(agent.data.verification).to.include({ trustScore: 50, evidenceCount: 1 });
  });

  it('changes nothing when it is published again', async () => {
    await publish();
    const head = await market.events.head();
    expect(await publish({ at: DAY_2 })).to.deep.equal({ ok: true, changes: [], position: null });
    expect(await market.events.head()).to.equal(head);
  });

  it('changes only what differs', async () => {
    await publish();
    await put('market.yaml', FILE.replace('Matches invoices.', 'Matches more.'));
    const outcome = await publish({ at: DAY_2 });
    expect(outcome.ok && outcome.changes.map(({ events }) => events)).to.deep.equal([['AgentRevised']]);
  });

  it('only says what would change in a dry run', async () => {
    const head = await market.events.head();
    const dryRun = await publish({ dryRun: true });
    expect(await market.events.head()).to.equal(head);
    const performed = await publish();
    expect(dryRun.ok && dryRun.changes).to.deep.equal(performed.ok && performed.changes);
    expect(dryRun.ok && dryRun.changes).to.have.length(5);
  });

  it('adds nothing when any part would be refused, and names each by its line', async () => {
    await put(
      'market.yaml',
      FILE.replace('check: benchmark', 'check: charm').replace(
        '    agency: ledgerworks\n    tagline: Closes',
        '    agency: nobody\n    tagline: Closes',
      ),
    );
    expect(await faultsOf()).to.deep.equal([
      '28 agents.0.assessments.0.check: methodology 1.0 has no check charm',
      '33 bundles.0.agency: no agency nobody is registered',
    ]);
  });

  it('retires and suspends, and can be published again after that', async () => {
    await put(
      'market.yaml',
      `${FILE}suspensions:\n  - { agent: invoice-matcher, reason: Silent. }\nretirements:\n  - { agent: invoice-matcher, reason: Replaced. }\n  - { bundle: month-end-close, reason: Old. }\n`,
    );
    const outcome = await publish();
    expect(outcome.ok && outcome.changes.slice(-3).map(({ events }) => events.join())).to.deep.equal([
      'AgentSuspended',
      'AgentRetired',
      'BundleRetired',
    ]);
    expect(refused(await market.ask(getAgent, { slug: 'invoice-matcher' }))).to.equal('not_found');
    await put(
      'market.yaml',
      FILE.replace(
        /$/,
        'retirements:\n  - { agent: invoice-matcher, reason: Replaced. }\n  - { bundle: month-end-close, reason: Old. }\n',
      ),
    );
    expect(await publish({ at: DAY_2 })).to.deep.equal({ ok: true, changes: [], position: null });
  });

  it('names an entry by its place among all of its kind, and does not try what it lists of one that it refuses', async () => {
    const agents = Array.from({ length: 20 }, (_, n) =>
      AN_AGENT.replace('invoice-matcher', `agent-${n}`).replace(
        'agency: ledgerworks',
        `agency: ${n === 17 ? 'nobody' : 'ledgerworks'}`,
      ),
    );
    await put('market.yaml', FILE.replace(AN_AGENT, agents.join('').replaceAll(/\n\n/g, '\n')));
    const faults = await faultsOf();
    expect(faults).to.have.lengthOf(1);
    expect(faults[0]).to.match(/^\d+ agents\.17[.:]/);
  });

  it('says where the log stands with the last of what it wrote', async () => {
    const outcome = await publish();
    expect(outcome).to.deep.include({ ok: true, position: await market.events.head() });
  });

  it('makes a manifest that the folder can be checked against', async () => {
    await publish();
    const { data } = answered(await market.ask(getBundle, { slug: 'month-end-close' }));
    expect(data.manifest.files.map(({ path, size }) => [path, size])).to.deep.equal([
      ['SKILL.md', 6],
      ['notes/a.md', 2],
    ]);
    const check = async () => (await verifyBundle(data, folder.file('bundles/close'))).faults;
    expect(await check()).to.deep.equal([]);
    await put('bundles/close/SKILL.md', 'Clash.');
    await put('bundles/close/extra.md', '');
    expect(await check()).to.deep.equal([
      { path: 'SKILL.md', message: 'has other content' },
      { path: 'extra.md', message: 'is not in the manifest' },
    ]);
    const forged = { ...data, manifest: { ...data.manifest, rootHash: 'f'.repeat(64) } };
    const [first] = (await verifyBundle(forged, folder.file('bundles/close'))).faults;
    expect(first?.message).to.equal('the published root hash is not that of the published files');
  });

  describe('with a bundle folder', () => {
    it('that holds a link, refuses', async () => {
      await symlink('/etc/hostname', folder.file('bundles/close/link'));
      expect(await faultsOf()).to.deep.equal([
        '39 bundles.0.folder: bundles/close/link: is a link or no plain file',
      ]);
    });

    it('that is a link out of the place, refuses', async () => {
      await symlink('/etc', folder.file('bundles/etc'));
      await put('market.yaml', FILE.replace('bundles/close', 'bundles/etc'));
      expect(await faultsOf()).to.deep.equal([
        '39 bundles.0.folder: bundles/etc: there is no such folder beside or below the file',
      ]);
    });

    for (const path of ['../close', '/etc', 'a/../../b', 'C:\\x']) {
      it(`written ${path}, refuses`, async () => {
        await put('market.yaml', FILE.replace('bundles/close', path));
        expect(await faultsOf()).to.deep.equal([
          '39 bundles.0.folder: must be a folder beside or below this file',
        ]);
      });
    }

    it('that goes deeper than 32 folders, refuses', async () => {
      const deep = (folders: number): string => `bundles/deep/${'d/'.repeat(folders)}a.md`;
      await put('market.yaml', FILE.replace('bundles/close', 'bundles/deep'));
      await put(deep(32), 'Just.');
      expect(await publish()).to.have.property('ok', true);
      await put(deep(33), 'Too deep.');
      expect(await faultsOf()).to.deep.equal([
        `39 bundles.0.folder: bundles/deep/${'d/'.repeat(33)}: folders go deeper than 32`,
      ]);
    });

    it('is told apart by all of a large file, and takes so many files', async () => {
      const large = 'x'.repeat(200_000);
      await put('bundles/close/SKILL.md', large);
      await publish();
      const { data } = answered(await market.ask(getBundle, { slug: 'month-end-close' }));
      const skill = data.manifest.files.find(({ path }) => path === 'SKILL.md');
      expect(skill?.sha256).to.equal(createHash('sha256').update(large).digest('hex'));
      await Promise.all(Array.from({ length: 2_001 }, (_, n) => put(`bundles/many/${n}.md`, '')));
      await put('market.yaml', FILE.replace('bundles/close', 'bundles/many'));
      expect(await faultsOf()).to.deep.equal([
        '39 bundles.0.folder: bundles/many: the folder has more than 2000 files',
      ]);
    });

    it('that is empty, refuses', async () => {
      await mkdir(folder.file('bundles/empty'));
      await put('market.yaml', FILE.replace('bundles/close', 'bundles/empty'));
      expect(await faultsOf()).to.deep.equal(['39 bundles.0.folder: bundles/empty: the folder is empty']);
    });
  });
});
