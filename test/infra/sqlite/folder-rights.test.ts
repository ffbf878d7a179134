import { chmod, lstat, mkdir, symlink, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { tightenDataFolder } from '../../../infra/sqlite/folder-rights.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';

const FILES = ['bourse.db', 'bourse.db-wal', 'bourse.db-head', 'people.db', 'meter.db', 'signing-secret'];

describe('The data folder', () => {
  let folder: TempFolder;
  beforeEach(async () => {
    folder = await tempFolder();
    await mkdir(folder.file('data'));
    await chmod(folder.file('data'), 0o755);
    for (const name of FILES) await put(name, 0o644);
  });
  afterEach(() => folder.remove());

  const put = async (name: string, mode: number): Promise<void> => {
    await writeFile(folder.file(`data/${name}`), '');
    await chmod(folder.file(`data/${name}`), mode);
  };
  const modeOf = async (name: string): Promise<number> => (await lstat(folder.file(name))).mode & 0o777;
  const tighten = (): Promise<readonly string[]> => tightenDataFolder(folder.file('data'));

  it('is closed to others, with the files in it', async () => {
    await mkdir(folder.file('data/artifacts'));
    await chmod(folder.file('data/artifacts'), 0o755);
    expect(await tighten()).to.deep.equal([]);
    expect(await modeOf('data')).to.equal(0o700);
    expect(await modeOf('data/artifacts')).to.equal(0o700);
    for (const name of FILES) expect(await modeOf(`data/${name}`), name).to.equal(0o600);
  });

  it('is left open where it holds anything else, and that is told; its own files are closed all the same', async () => {
    await put('letter.txt', 0o644);
    const told = await tighten();
    expect(told).to.have.lengthOf(1);
    expect(told[0]).to.include('is open to other users of this machine (mode 0755)').and.include('chmod 700');
    expect(await modeOf('data')).to.equal(0o755);
    expect(await modeOf('data/letter.txt')).to.equal(0o644);
    expect(await modeOf('data/people.db')).to.equal(0o600);
  });

  it('is no way to change the rights of what a link leads to', async () => {
    await writeFile(folder.file('elsewhere'), '');
    await chmod(folder.file('elsewhere'), 0o644);
    await symlink(folder.file('elsewhere'), folder.file('data/queue.db'));
    expect(await tighten()).to.deep.equal([]);
    expect(await modeOf('elsewhere')).to.equal(0o644);
  });

  it('need not be there', async () => {
    expect(await tightenDataFolder(folder.file('nowhere'))).to.deep.equal([]);
  });
});
