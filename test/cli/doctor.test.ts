/** `bourse doctor` finds what a start would stumble over, and says so in its exit code. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { findingsOf } from '../../src/cli/doctor.ts';
import { EXIT } from '../../src/cli/exit.ts';
import { QueueUnavailable } from '../../src/ports/queue.ts';
import { startJobApi } from '../support/job-flows.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { BOURSE } from '../support/shipped-program.ts';

describe('bourse doctor', () => {
  let folder: TempFolder;
  beforeEach(async () => void (folder = await tempFolder()));
  afterEach(() => folder.remove());

  const cli = (args: readonly string[], settings: Readonly<Record<string, string>> = {}) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [BOURSE, ...args], {
      env: { ...process.env, DATA_DIR: folder.path, ...settings },
      encoding: 'utf8',
    });
    expect(stderr + stdout, 'a stack').not.to.match(/^ +at /m);
    return { status, stdout, stderr };
  };
  const wrong = (stdout: string): readonly unknown[] =>
    JSON.parse(stdout).filter((one: { wrong: string | null }) => one.wrong !== null);

  it('finds nothing where all is well', () => {
    const { status, stdout } = cli(['doctor']);
    expect(status, stdout).to.equal(EXIT.ok);
    for (const check of ['start', 'log', 'views', 'queue', 'account keys', 'signing secret', 'clock'])
      expect(stdout).to.match(new RegExp(`^${check} +ok$`, 'm'));
  });

  it('makes no data folder where there is none', () => {
    const { status, stderr } = cli(['doctor'], { DATA_DIR: folder.file('mistyped') });
    expect([status, stderr]).to.deep.equal([
      EXIT.refused,
      `bourse: there is no folder ${folder.file('mistyped')}: is DATA_DIR right? The first start makes it\n`,
    ]);
    expect(existsSync(folder.file('mistyped'))).to.equal(false);
  });

  it('names a data folder that is open to others and that it may not close', async () => {
    await writeFile(folder.file('letter.txt'), '');
    await chmod(folder.path, 0o755);
    const { status, stdout } = cli(['doctor', '--json']);
    expect(status).to.equal(EXIT.refused);
    const [finding, ...others] = wrong(stdout);
    expect(finding).to.have.property('wrong').that.includes('is open to other users of this machine');
    expect(others).to.deep.equal([]);
  });

  it('names a clock that is behind what was done, and an engine that is away', async () => {
    const api = await startJobApi();
    await api.draft(api.buyer);
    await api.services.projector.caughtUp();
    const away = { ...api.services.queue, nextDueAtMs: () => Promise.reject(new QueueUnavailable('gone')) };
    const yesterday = Date.now() - 24 * 60 * 60 * 1_000;
    const found = await findingsOf({ ...api.services, queue: away }, [], yesterday);
    await api.close();
    const faults = found.filter(({ wrong: fault }) => fault !== null);
    expect(faults.map(({ check }) => check)).to.deep.equal(['queue', 'clock']);
    expect(faults[0]?.wrong).to.equal('gone');
    expect(faults[1]?.wrong).to.include('put the clock right');
  });

  it('ends with the code of a wrong setting, and of an engine that cannot be opened', async () => {
    expect(cli(['doctor'], { PORT: 'x' }).status).to.equal(EXIT.usage);
    await writeFile(folder.file('bourse.db'), 'no database');
    expect(cli(['doctor']).status).to.equal(EXIT.unavailable);
  });
});
