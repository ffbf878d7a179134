/**
 * How many files one trial goes through. V8 counts the calls of each function in a process of the role `api`
 * (trial-path.main.ts): a file is on the way when each of several requests has entered a function of it that is not
 * entered while nobody asks. The writer's thread of the embedded log is not counted.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

/** A reader who follows a request opens as many. */
const MAX_FILES = 75;
const SCRIPT = fileURLToPath(new URL('trial-path.main.ts', import.meta.url));

describe('the way of one trial', () => {
  let folder: TempFolder;

  before(async () => {
    folder = await tempFolder();
  });

  after(() => folder.remove());

  it(`enters at most ${MAX_FILES} files`, async function () {
    this.timeout(120_000);

    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', SCRIPT, folder.path]);

    const [first = [], ...others] = JSON.parse(stdout) as readonly (readonly string[])[];
    const files = first.filter((file) => others.every((entered) => entered.includes(file)));
    expect(files, 'the way is not seen').to.include.members([
      'commands/mandate/spend-against-mandate.ts',
      'src/calling/call-operation.ts',
      'infra/sqlite/event-store.ts',
    ]);
    expect(files.length, files.join('\n')).to.be.at.most(MAX_FILES);
  });
});
