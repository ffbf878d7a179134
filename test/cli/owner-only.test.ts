/** What the real program leaves on the disk, under a umask that would let everybody read it. */
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { buildProgram, type Program } from '../support/built-program.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

describe('The files of a market', function () {
  this.timeout(120_000);
  let program: Program;
  let folder: TempFolder;
  let umask: number;
  before(async () => {
    program = await buildProgram();
    folder = await tempFolder();
    umask = process.umask(0o022);
  });
  after(async () => {
    process.umask(umask);
    await program.remove();
    await folder.remove();
  });

  for (const isThere of [false, true]) {
    it(`are their owner's alone, in a folder that was ${isThere ? 'there before' : 'made for them'}`, async () => {
      const DATA_DIR = folder.file(isThere ? 'old' : 'new');
      if (isThere) await mkdir(DATA_DIR, { mode: 0o755 });
      const life = program.start({ DATA_DIR });
      await life.url;
      await program.run({ DATA_DIR }, ['audit', 'export', '--out', folder.file(`${isThere}.jsonl`)]);
      const names = await readdir(DATA_DIR);
      expect(names).to.include.members(['bourse.db', 'bourse.db-wal', 'people.db', 'queue.db', 'views.db']);
      await expectOwnersAlone(DATA_DIR, names);
      expect((await lstat(DATA_DIR)).mode & 0o777).to.equal(0o700);
      expect((await lstat(folder.file(`${isThere}.jsonl`))).mode & 0o077).to.equal(0);
      await life.kill();
    });
  }

  it('are closed again by the next start where somebody has opened them', async () => {
    const DATA_DIR = folder.file('opened');
    const life = program.start({ DATA_DIR });
    await life.url;
    await life.stop();
    const names = await readdir(DATA_DIR);
    for (const name of names) await chmod(join(DATA_DIR, name), 0o644);
    await chmod(DATA_DIR, 0o755);
    const next = program.start({ DATA_DIR });
    await next.url;
    await expectOwnersAlone(DATA_DIR, names);
    expect((await lstat(DATA_DIR)).mode & 0o777).to.equal(0o700);
    await next.kill();
  });
});

/** A journal of SQLite may have gone since the folder was read: the server goes on. */
async function expectOwnersAlone(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = join(folder, name);
    const found = await lstat(path).catch((error: unknown) => {
      if (existsSync(path) || !name.endsWith('-journal')) throw error;
      return null;
    });
    if (found !== null) expect(found.mode & 0o077, name).to.equal(0);
  }
}
