import { expect } from 'chai';
import { EXIT } from '../../src/cli/exit.ts';
import { bourseOn } from '../support/bourse-command.ts';
import { tempFolder } from '../support/temp-folder.ts';

describe('bourse account allow', () => {
  it('says what keys that an account makes may have, and refuses what could never work', async () => {
    const folder = await tempFolder();
    const { run, refused } = bourseOn({ DATA_DIR: folder.path });
    await run('key', 'create', '--account', 'acme', '--name', 'manager', '--scopes', 'keys:manage');
    const caps = ['--max-per-transaction', '5000', '--max-monthly', '100000'];
    const allow = ['account', 'allow', 'acme', '--scopes', 'trials:create', '--max-keys', '3', ...caps];
    const failure = await refused(...allow);
    expect(failure.code).to.equal(EXIT.refused);
    expect(failure.stderr).to.include('--allow must name an action: caps alone allow nothing');
    const stdout = await run(...allow, '--allow', 'trial:create', '--json');
    expect(JSON.parse(stdout)).to.deep.nested.include({
      handle: 'acme',
      'allowance.maxKeys': 3,
      'allowance.terms.maxMonthlyCents': 100_000,
    });
    await folder.remove();
  }).timeout(120_000);
});
