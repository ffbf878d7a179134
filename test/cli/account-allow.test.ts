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

describe('bourse account allow', () => {
  it('says what keys that an account makes may have, and refuses what could never work', async () => {
    const folder = await tempFolder();
    const env = { ...process.env, DATA_DIR: folder.path };
    const cli = (...args: string[]) => run(process.execPath, ['--import', 'tsx', bourse, ...args], { env });
    await cli('key', 'create', '--account', 'acme', '--name', 'manager', '--scopes', 'keys:manage');
    const caps = ['--max-per-transaction', '5000', '--max-monthly', '100000'];
    const allow = ['account', 'allow', 'acme', '--scopes', 'trials:create', '--max-keys', '3', ...caps];
    const refused = failure.parse(await cli(...allow).catch((error: unknown) => error));
    expect(refused.code).to.equal(EXIT.refused);
    expect(refused.stderr).to.include('caps alone allow nothing');
    const { stdout } = await cli(...allow, '--allow', 'trial:create', '--json');
    expect(JSON.parse(stdout)).to.deep.nested.include({
      handle: 'acme',
      'allowance.maxKeys': 3,
      'allowance.terms.maxMonthlyCents': 100_000,
    });
    await folder.remove();
  }).timeout(120_000);
});
