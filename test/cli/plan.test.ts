import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { z } from 'zod';
import { EXIT } from '../../src/cli/exit.ts';
import { tempFolder } from '../support/temp-folder.ts';

const bourse = fileURLToPath(new URL('../../src/cli/bourse.ts', import.meta.url));
const run = promisify(execFile);
const failure = z.object({ code: z.number(), stderr: z.string() });

describe('bourse plan', () => {
  it('gives an account a plan, exchanges it and takes it away, and says what there is', async () => {
    const folder = await tempFolder();
    const env = { ...process.env, DATA_DIR: folder.path };
    const cli = (...args: string[]) => run(process.execPath, ['--import', 'tsx', bourse, ...args], { env });
    const json = async (...args: string[]) => JSON.parse((await cli('plan', ...args, '--json')).stdout);
    const refused = async (...args: string[]) =>
      failure.parse(await cli('plan', ...args).catch((error: unknown) => error));
    await cli('key', 'create', '--account', 'acme', '--name', 'reader', '--scopes', 'data:read');

    expect(await json('show', 'acme')).to.include({ handle: 'acme', plan: null });
    const none = await refused('cancel', 'acme');
    expect(none.code).to.equal(EXIT.refused);
    expect(none.stderr).to.include('the account acme has no plan: choose one first');

    expect(await json('set', 'acme', 'starter')).to.include({ plan: 'starter', perMinute: 60 });
    expect(await json('set', 'acme', 'pro')).to.include({ plan: 'pro', perMonth: 500_000 });
    const listed = await json('list');
    expect(listed).to.have.lengthOf(1);
    expect(listed[0]).to.include({ plan: 'pro' });
    expect((await cli('plan', 'cancel', 'acme')).stdout).to.match(/^acme \(acc_\w+\) has no plan\.\n$/);
    expect(await json('list')).to.deep.equal([]);

    const unknown = await refused('set', 'acme', 'gold');
    expect(unknown.code).to.equal(EXIT.usage);
    expect(unknown.stderr).to.include('must be one of starter, pro, enterprise');
    await folder.remove();
  }).timeout(240_000);
});
