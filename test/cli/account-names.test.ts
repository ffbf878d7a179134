import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { z } from 'zod';
import { EXIT } from '../../src/cli/exit.ts';
import { bourseOn } from '../support/bourse-command.ts';
import { tempFolder } from '../support/temp-folder.ts';

const madeKey = z.object({ accountId: z.string(), keyId: z.string() });
const listed = z.array(z.object({ keyId: z.string(), accountId: z.string(), handle: z.string() }));
const event = z.object({ body: z.object({ kind: z.string(), event: z.unknown().optional() }) });

describe('An account on the command line', () => {
  it('is named by its id or its handle, and both are shown', async () => {
    const folder = await tempFolder();
    const { run: cli, refused } = bourseOn({ DATA_DIR: folder.path });
    const newKey = async (account: string) => {
      const args = ['--account', account, '--name', 'reader', '--scopes', 'jobs:read', '--json'];
      return madeKey.parse(JSON.parse(await cli('key', 'create', ...args)));
    };
    const acme = await newKey('acme');
    const other = await newKey('other');
    const keysOf = async (...filter: string[]) =>
      listed.parse(JSON.parse(await cli('key', 'list', ...filter, '--json')));
    const ofAcme = [{ ...acme, handle: 'acme' }];
    expect(await keysOf()).to.deep.equal([...ofAcme, { ...other, handle: 'other' }]);
    expect(await keysOf('--account', 'acme')).to.deep.equal(ofAcme);
    expect(await keysOf('--account', acme.accountId)).to.deep.equal(ofAcme);
    expect(await cli('key', 'list')).to.match(new RegExp(`${acme.accountId} +acme +reader`));

    const exported = async (account: string): Promise<unknown[]> => {
      const out = folder.file(`${account}.ndjson`);
      await cli('audit', 'export', '--account', account, '--out', out);
      const lines = (await readFile(out, 'utf8')).trimEnd().split('\n');
      return lines.map((line) => event.parse(JSON.parse(line)).body).filter(({ kind }) => kind === 'event');
    };
    const byHandle = await exported('acme');
    expect(byHandle).to.have.length(3);
    expect(byHandle).to.deep.equal(await exported(acme.accountId));
    const unknown = await refused('audit', 'export', '--account', 'nobody', '--out', folder.file('none'));
    expect(unknown).to.include({ code: EXIT.refused, stderr: 'bourse: there is no account nobody\n' });

    for (const account of ['acme', acme.accountId])
      expect(JSON.parse(await cli('webhook', 'deliveries', account, '--account', account, '--json'))).to.be
        .empty;
    await folder.remove();
  }).timeout(240_000);
});
