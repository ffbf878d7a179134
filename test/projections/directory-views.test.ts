import { expect } from 'chai';
import type { PublishBundleVersion } from '../../commands/bundle/bundle.ts';
import { digestOf } from '../../events/methodology-document.ts';
import { agencies, agencyDocument } from '../../projections/agencies.ts';
import { bundleDocument, bundleSummary } from '../../projections/bundle-document.ts';
import { bundleManifests, bundles } from '../../projections/bundles.ts';
import { changeDocument, directoryChanges } from '../../projections/directory-changes.ts';
import { directoryProjections } from '../../projections/directory.ts';
import { methodologies } from '../../projections/methodologies.ts';
import { methodologyDocument } from '../../projections/methodology-document.ts';
import { replay } from '../../projections/replay.ts';
import { retiredAgents } from '../../projections/retired-agents.ts';
import { inLogOrder } from '../../src/operations/directory/example-history.ts';
import { agencyEvents, agentEvents, bundleEvents, methodologyEvents } from '../support/directory-history.ts';
import { AGENT, DAY_1, DAY_2, DAY_3, methodology, profile, publish } from '../support/sample-directory.ts';

const registered = agencyEvents([
  DAY_1,
  { type: 'RegisterAgency', agency: 'ledgerworks', profile: profile() },
]);
const bundleVersion = (version: string, path: string): PublishBundleVersion => ({
  type: 'PublishBundleVersion',
  bundle: 'month-end-close',
  version,
  profile: {
    name: 'Month-end close',
    tagline: 'Closes a month.',
    description: 'Skills.',
    agency: { slug: 'ledgerworks', name: 'Ledgerworks' },
    categories: ['finance'],
    skills: [{ name: 'accrual-review', description: 'Finds accruals.' }],
    licence: 'Apache-2.0',
  },
  files: [
    { path, size: 3, sha256: 'a'.repeat(64) },
    { path: 'README.md', size: 4, sha256: 'b'.repeat(64) },
  ],
});
const retireAgent = { type: 'RetireAgent', reason: 'Replaced.' } as const;

describe('The view of agencies', () => {
  it('shows the profile with the listings and bundles that can be found', () => {
    const document = replay(
      agencies,
      inLogOrder(
        registered,
        agentEvents([DAY_2, publish()]),
        bundleEvents([DAY_3, bundleVersion('1.0.0', 'a')]),
      ),
    ).get('ledgerworks');
    expect(agencyDocument.parse(document)).to.deep.include({
      slug: 'ledgerworks',
      agents: [AGENT],
      bundles: ['month-end-close'],
      registeredAt: DAY_1,
      updatedAt: DAY_3,
    });
  });

  it('leaves out what is suspended or retired', () => {
    const suspend = { type: 'SuspendAgent', reason: 'Silent.' } as const;
    const agentsAfter = (...commands: Parameters<typeof agentEvents>) =>
      replay(agencies, inLogOrder(registered, agentEvents([DAY_1, publish()], ...commands))).get(
        'ledgerworks',
      )?.agents;
    expect(agentsAfter([DAY_2, suspend])).to.deep.equal([]);
    expect(agentsAfter([DAY_2, suspend], [DAY_3, { type: 'ResumeAgent' }])).to.deep.equal([AGENT]);
    expect(agentsAfter([DAY_2, retireAgent])).to.deep.equal([]);
  });

  it('has each bundle once, whatever its version, until it is retired', () => {
    const versions = [
      [DAY_1, bundleVersion('1.0.0', 'a')],
      [DAY_2, bundleVersion('1.1.0', 'a')],
    ] as const;
    const bundlesOf = (...events: Parameters<typeof bundleEvents>) =>
      replay(agencies, inLogOrder(registered, bundleEvents(...events))).get('ledgerworks')?.bundles;
    expect(bundlesOf(...versions)).to.deep.equal(['month-end-close']);
    expect(bundlesOf(...versions, [DAY_3, { type: 'RetireBundle', reason: 'Old.' }])).to.deep.equal([]);
  });

  it('keeps them when the profile is revised', () => {
    const revised = agencyEvents(
      [DAY_1, { type: 'RegisterAgency', agency: 'ledgerworks', profile: profile() }],
      [DAY_3, { type: 'ReviseAgency', changes: { name: 'Ledgerworks Europe' } }],
    );
    const [first, second] = [revised.slice(0, 1), revised.slice(1)];
    const document = replay(agencies, inLogOrder(first, agentEvents([DAY_2, publish()]), second)).get(
      'ledgerworks',
    );
    expect(document).to.deep.include({ name: 'Ledgerworks Europe', agents: [AGENT] });
  });
});

describe('The views of bundles', () => {
  const history = inLogOrder(
    bundleEvents([DAY_1, bundleVersion('1.0.0', 'a')], [DAY_2, bundleVersion('1.1.0', 'b')]),
  );

  it('list the current version without its files', () => {
    expect(bundleSummary.parse(replay(bundles, history).get('month-end-close'))).to.include({
      version: '1.1.0',
      fileCount: 2,
      sizeBytes: 7,
    });
  });

  it('keep every version readable', () => {
    const documents = replay(bundleManifests, history);
    expect([...documents.keys()]).to.deep.equal([
      'month-end-close',
      'month-end-close@1.0.0',
      'month-end-close@1.1.0',
    ]);
    expect(bundleDocument.parse(documents.get('month-end-close'))).to.include({
      version: '1.1.0',
      previousVersion: '1.0.0',
    });
    expect(documents.get('month-end-close@1.0.0')?.manifest.files.map(({ path }) => path)).to.deep.equal([
      'README.md',
      'a',
    ]);
  });

  it('keep the versions of a retired bundle and nothing else of it', () => {
    const retired = inLogOrder(
      bundleEvents([DAY_1, bundleVersion('1.0.0', 'a')], [DAY_2, { type: 'RetireBundle', reason: 'Old.' }]),
    );
    expect(replay(bundles, retired).size).to.equal(0);
    expect([...replay(bundleManifests, retired).keys()]).to.deep.equal(['month-end-close@1.0.0']);
  });
});

describe('The view of the methodology', () => {
  it('keeps each version and the one in force, with their digests', () => {
    const documents = replay(
      methodologies,
      inLogOrder(methodologyEvents([DAY_1, methodology()], [DAY_2, methodology({ version: '1.1' })])),
    );
    expect([...documents.keys()]).to.deep.equal(['1.0', 'current', '1.1']);
    expect(documents.get('current')).to.deep.equal(documents.get('1.1'));
    const first = methodologyDocument.parse(documents.get('1.0'));
    expect(first).to.include({ publishedAt: DAY_1, digest: digestOf(first) });
  });
});

describe('The view of changes', () => {
  it('notes each change of the directory in order, with tombstones', () => {
    const documents = replay(
      directoryChanges,
      inLogOrder(
        methodologyEvents([DAY_1, methodology()]),
        registered,
        agentEvents(
          [DAY_1, publish()],
          [DAY_2, publish({ name: 'Renamed' })],
          [DAY_2, { type: 'SuspendAgent', reason: 'Silent.' }],
          [DAY_3, { type: 'ResumeAgent' }],
          [DAY_3, retireAgent],
        ),
        bundleEvents(
          [DAY_1, bundleVersion('1.0.0', 'a')],
          [DAY_2, bundleVersion('1.1.0', 'b')],
          [DAY_3, { type: 'RetireBundle', reason: 'Old.' }],
        ),
      ),
    );
    const told = [...documents.values()].map((change) => {
      const { resource, change: what, slug, detail } = changeDocument.parse(change);
      return [resource, what, slug, detail].join(' ');
    });
    expect(told).to.deep.equal([
      'methodology listed 1.0 ',
      'agency listed ledgerworks ',
      'agent listed invoice-matcher ',
      'agent rescored invoice-matcher published',
      'agent revised invoice-matcher ',
      'agent suspended invoice-matcher Silent.',
      'agent resumed invoice-matcher ',
      'agent retired invoice-matcher Replaced.',
      'bundle listed month-end-close 1.0.0',
      'bundle revised month-end-close 1.1.0',
      'bundle retired month-end-close Old.',
    ]);
    expect([...documents.keys()]).to.deep.equal([...documents.keys()].toSorted());
  });
});

describe('The view of retired agents', () => {
  it('says what a page says in their place', () => {
    const history = inLogOrder(agentEvents([DAY_1, publish()], [DAY_2, retireAgent]));
    expect(replay(retiredAgents, history).get(AGENT)).to.deep.equal({
      slug: AGENT,
      name: 'Invoice Matcher',
      agency: 'ledgerworks',
      retiredAt: DAY_2,
      reason: 'Replaced.',
    });
  });
});

describe('The views of the directory', () => {
  it('have names of their own', () => {
    const names = directoryProjections.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
  });
});
