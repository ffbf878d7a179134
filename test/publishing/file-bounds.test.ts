/** How much of a disk a publication may reach: so large a file, folders beside or below it, so large a file in them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { sep } from 'node:path';
import { expect } from 'chai';
import { readBundleFolder } from '../../src/publishing/bundle-folder.ts';
import { publishFile, readFolders, USUAL_MAX_BYTES } from '../../src/publishing/publish-file.ts';
import { readPublication } from '../../src/publishing/read-publication.ts';
import { type Market, openMarket } from '../support/directory-market.ts';
import { DAY_1 } from '../support/sample-directory.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { A_BUNDLE } from './publication.fixture.ts';

const MAX_FILE_BYTES = 100 * 1024 * 1024;
const BUNDLE = `
bundles:${A_BUNDLE}    folder: close
`;

describe('The bounds of a publication', () => {
  let market: Market;
  let folder: TempFolder;
  beforeEach(async () => {
    market = openMarket();
    folder = await tempFolder();
  });
  afterEach(() => folder.remove());

  /** As large as that, by a comment. */
  async function fileOf(bytes: number): Promise<string> {
    const file = folder.file('market.yaml');
    await writeFile(file, '#'.padEnd(bytes, 'x'));
    return file;
  }
  const publish = async (file: string, maxBytes?: number): Promise<readonly string[]> => {
    const call = { at: DAY_1, actor: 'cli', requestId: 'test', commandId: 'bounds' };
    const bound = maxBytes === undefined ? {} : { maxBytes };
    const outcome = await publishFile(market.commands, { file, dryRun: false, call, ...bound });
    return outcome.ok ? [] : outcome.faults.map(({ message }) => message);
  };
  async function put(name: string, text = 'Close.'): Promise<void> {
    await mkdir(folder.file(name.slice(0, name.lastIndexOf('/'))), { recursive: true });
    await writeFile(folder.file(name), text);
  }
  /** Of a publication beside `base` with a bundle in that folder: the paths that are read, or what is wrong. */
  async function read(base: string, name: string): Promise<readonly string[]> {
    const publication = readPublication(BUNDLE);
    if (!publication.ok) throw new Error(JSON.stringify(publication.faults));
    const bundles = publication.publication.bundles.map((bundle) => ({ ...bundle, folder: name }));
    const found = await readFolders({ ...publication.publication, bundles }, base);
    if (!found.ok) return found.faults.map(({ message }) => message);
    return (found.bundleFiles.get('bundles.0') ?? []).map(({ path }) => path);
  }

  it('take a file that is as large as may be, and not a byte more', async () => {
    expect(await publish(await fileOf(500), 500)).to.deep.equal([]);
    expect(await publish(await fileOf(501), 500)).to.deep.equal([
      'the file has 501 bytes; at most 500 are read',
    ]);
  });

  it('leave out what is no regular file, which may have no end or nobody who writes it', async () => {
    const pipe = folder.file('pipe.yaml');
    await promisify(execFile)('mkfifo', [pipe]);
    for (const file of [pipe, '/dev/zero', folder.path])
      expect(await publish(file), file).to.deep.equal(['it is no regular file']);
    // It says that it has no bytes, and has some.
    expect(await publish('/proc/self/status', 100)).to.deep.equal([
      'the file has 101 bytes; at most 100 are read',
    ]);
  });

  it('are a mebibyte where nobody says another', async () => {
    expect(await publish(await fileOf(USUAL_MAX_BYTES))).to.deep.equal([]);
    expect(await publish(await fileOf(USUAL_MAX_BYTES + 1))).to.deep.equal([
      'the file has 1048577 bytes; at most 1048576 are read',
    ]);
  });

  it('are the folder of the file and those below it, and none whose name only begins alike', async () => {
    await put('market/close/SKILL.md');
    await put('market-of-others/inner/SKILL.md');
    await symlink(folder.file('market-of-others'), folder.file('market/alike'));
    const base = folder.file('market');
    expect(await read(base, 'close')).to.deep.equal(['SKILL.md']);
    expect(await read(folder.file('market/close'), '.')).to.deep.equal(['SKILL.md']);
    const none = 'there is no such folder beside or below the file';
    expect(await read(base, 'alike/inner')).to.deep.equal([`alike/inner: ${none}`]);
    expect(await read(base, 'nowhere')).to.deep.equal([`nowhere: ${none}`]);
  });

  it('are all folders for a file at the root of the disk', async () => {
    await put('close/SKILL.md');
    const [, ...names] = folder.file('close').split(sep);
    expect(await read(sep, names.join(sep))).to.deep.equal(['SKILL.md']);
  });

  it('are 100 MiB for each file of a bundle, and not a byte more', async () => {
    // By length alone: nothing of it is written.
    await put('close/just.bin', '');
    await truncate(folder.file('close/just.bin'), MAX_FILE_BYTES);
    const just = await readBundleFolder(folder.file('close'));
    expect(just.ok && just.files.map(({ path, size }) => [path, size])).to.deep.equal([
      ['just.bin', MAX_FILE_BYTES],
    ]);
    await truncate(folder.file('close/just.bin'), MAX_FILE_BYTES + 1);
    expect(await readBundleFolder(folder.file('close'))).to.deep.equal({
      ok: false,
      faults: [{ path: 'just.bin', message: `is larger than ${MAX_FILE_BYTES} bytes` }],
    });
  });
});
