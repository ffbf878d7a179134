import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { bundleDecider, type PublishBundleVersion } from '../../commands/bundle/bundle.ts';
import { manifestOf } from '../../commands/bundle/manifest.ts';
import type { BundleProfile } from '../../events/bundle-events.ts';
import { scenarios } from '../support/given-when-then.ts';
import { DAY_1, DAY_2 } from '../support/sample-directory.ts';
import { tempFolder } from '../support/temp-folder.ts';

const given = scenarios(bundleDecider);
const bundle = 'month-end-close';
const file = (path: string, hash = 'a') => ({ path, size: 1, sha256: hash.repeat(64) });
const profile: BundleProfile = {
  name: 'Month-end close',
  tagline: 'Closes a month.',
  description: 'Skills.',
  agency: { slug: 'ledgerworks', name: 'Ledgerworks' },
  categories: ['finance'],
  skills: [{ name: 'accrual-review', description: 'Finds accruals.' }],
  licence: 'Apache-2.0',
};
const publish = (overrides: Partial<PublishBundleVersion> = {}): PublishBundleVersion => ({
  type: 'PublishBundleVersion',
  bundle,
  version: '1.0.0',
  profile,
  files: [file('b.md'), file('a.md')],
  ...overrides,
});
const published = (version: string, previousVersion: string | null, files = [file('a.md'), file('b.md')]) =>
  ({
    type: 'BundleVersionPublished',
    data: { bundle, version, previousVersion, profile, manifest: manifestOf(files) },
  }) as const;
const first = { ...published('1.0.0', null), at: DAY_1 };
const second = { ...published('1.10.0', '1.0.0', [file('c.md')]), at: DAY_1 };
const retired = {
  type: 'BundleRetired',
  data: { bundle, agency: 'ledgerworks', name: profile.name, reason: 'Old.' },
  at: DAY_1,
} as const;

describe('A bundle', () => {
  it('is published with its manifest, sorted', () => {
    given().when(publish(), DAY_1).thenFacts(published('1.0.0', null));
  });

  it('gets newer versions, by number and not by text', () => {
    given(first)
      .when(publish({ version: '1.10.0', files: [file('c.md')] }), DAY_2)
      .thenFacts(published('1.10.0', '1.0.0', [file('c.md')]));
    given(first, second)
      .when(publish({ version: '1.9.0', files: [file('d.md')] }), DAY_2)
      .thenRejected({ kind: 'version_not_newer', current: '1.10.0' });
  });

  it('is not changed by any version that was published before, the current one or an earlier', () => {
    given(first).when(publish(), DAY_2).thenNothing();
    given(first, second).when(publish(), DAY_2).thenNothing();
  });

  it('never changes a version', () => {
    const rejection = { kind: 'version_differs', version: '1.0.0' } as const;
    given(first)
      .when(publish({ files: [file('a.md', 'b')] }), DAY_2)
      .thenRejected(rejection);
    given(first)
      .when(publish({ profile: { ...profile, licence: 'MIT' } }), DAY_2)
      .thenRejected(rejection);
  });

  it('takes a new name of its agency for no change', () => {
    const renamed = { ...profile, agency: { slug: 'ledgerworks', name: 'Ledgerworks Europe' } };
    given(first)
      .when(publish({ profile: renamed }), DAY_2)
      .thenNothing();
  });

  it('stays with its agency', () => {
    const other = { ...profile, agency: { slug: 'rival', name: 'Rival' } };
    given(first)
      .when(publish({ version: '2.0.0', profile: other }), DAY_2)
      .thenRejected({ kind: 'agency_changed', agency: 'ledgerworks' });
  });

  it('names each path once', () => {
    given()
      .when(publish({ files: [file('a.md'), file('b.md'), file('a.md')] }), DAY_1)
      .thenRejected({ kind: 'path_twice', path: 'a.md' });
  });

  it('has no file where it has a folder', () => {
    given()
      .when(publish({ files: [file('docs'), file('docs-1/a.md'), file('docs/de/a.md')] }), DAY_1)
      .thenRejected({ kind: 'path_below_file', path: 'docs/de/a.md' });
  });

  it('is retired for good, once', () => {
    given(first)
      .when({ type: 'RetireBundle', reason: 'Old.' }, DAY_2)
      .thenFacts({ type: retired.type, data: retired.data });
    given(first, retired).when({ type: 'RetireBundle', reason: 'Old.' }, DAY_2).thenNothing();
    given(first, retired)
      .when(publish({ version: '2.0.0' }), DAY_2)
      .thenRejected({ kind: 'retired' });
    given().when({ type: 'RetireBundle', reason: 'Old.' }, DAY_2).thenRejected({ kind: 'absent' });
  });

  describe('that may be published twice a day', () => {
    const at = (time: string) => `2026-11-${time}:00:00.000Z`;
    const history = [
      { ...published('1.0.0', null), at: at('02T07') },
      { ...published('1.1.0', '1.0.0'), at: at('02T08') },
      { ...published('1.2.0', '1.1.0'), at: at('02T09') },
    ];
    const thrice = given(...history);
    const next = publish({ version: '1.3.0' });
    const limited = { ...next, versionsPerDay: 2 };
    const fact = published('1.3.0', '1.2.0');

    it('is refused one more, and told when it may be again', () => {
      thrice
        .when(limited, at('02T10'))
        .thenRejected({ kind: 'published_often', limit: 2, freeAt: at('03T08') });
      given(...history.slice(0, 1))
        .when({ ...publish({ version: '1.1.0' }), versionsPerDay: 2 }, at('02T08'))
        .thenFacts(published('1.1.0', '1.0.0'));
    });
    it('is published again a day after the first of the last two, and not before', () => {
      const rejection = { kind: 'published_often', limit: 2, freeAt: at('03T08') } as const;
      thrice.when(limited, '2026-11-03T07:59:59.999Z').thenRejected(rejection);
      thrice.when(limited, at('03T08')).thenFacts(fact);
      given(...history, { ...fact, at: at('03T08') })
        .when({ ...limited, version: '1.4.0' }, at('03T08'))
        .thenRejected({ kind: 'published_often', limit: 2, freeAt: at('03T09') });
    });
    it('takes what changes nothing, its end, and everything from whoever has no limit', () => {
      for (const version of ['1.0.0', '1.1.0', '1.2.0'])
        thrice.when({ ...limited, version }, at('02T10')).thenNothing();
      thrice
        .when({ type: 'RetireBundle', reason: 'Old.' }, at('02T10'))
        .thenFacts({ type: retired.type, data: retired.data });
      thrice.when(next, at('02T10')).thenFacts(fact);
    });
    it('says what is wrong with a version before it says when there may be one', () => {
      thrice
        .when({ ...limited, version: '1.1.1' }, at('02T10'))
        .thenRejected({ kind: 'version_not_newer', current: '1.2.0' });
    });
  });
});

describe('A manifest', () => {
  it('is sorted by the bytes of its paths, as sort(1) does in the C locale', () => {
    const paths = ['b', 'a/b', 'a-b', 'Z', 'ä', 'a', '\u{1f600}', '\uff5e'];
    expect(manifestOf(paths.map((path) => file(path))).files.map(({ path }) => path)).to.deep.equal([
      'Z',
      'a',
      'a-b',
      'a/b',
      'b',
      'ä',
      '\uff5e',
      '\u{1f600}',
    ]);
  });

  it('has the root hash that sha256sum alone gives', async () => {
    const folder = await tempFolder();
    try {
      const contents: Record<string, string> = { 'b.txt': 'two', 'a.txt': 'one' };
      for (const [name, text] of Object.entries(contents)) writeFileSync(folder.file(name), text);
      const files = Object.entries(contents).map(([path, text]) => ({
        path,
        size: text.length,
        sha256: createHash('sha256').update(text).digest('hex'),
      }));
      const lines = execFileSync('sha256sum', ['a.txt', 'b.txt'], { cwd: folder.path });
      const root = execFileSync('sha256sum', { input: lines }).toString().slice(0, 64);
      expect(manifestOf(files).rootHash).to.equal(root);
    } finally {
      await folder.remove();
    }
  });
});
