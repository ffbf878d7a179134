import { execFile } from 'node:child_process';
import { copyFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { z } from 'zod';
import { tempFolder } from '../support/temp-folder.ts';

const bourse = fileURLToPath(new URL('../../src/cli/bourse.ts', import.meta.url));
const run = promisify(execFile);
const madeKey = z.object({ keyId: z.string() });

describe('bourse audit', () => {
  it('needs the log alone, as an auditor has it in a copy, and makes nothing beside it', async () => {
    const [original, copy] = [await tempFolder(), await tempFolder()];
    const cli = async (dataDir: string, ...args: string[]): Promise<string> => {
      const env = { ...process.env, DATA_DIR: dataDir };
      return (await run(process.execPath, ['--import', 'tsx', bourse, ...args], { env })).stdout;
    };
    const owner = ['--account', 'acme', '--name', 'buyer', '--scopes', 'trials:create', '--json'];
    const { keyId } = madeKey.parse(JSON.parse(await cli(original.path, 'key', 'create', ...owner)));
    await copyFile(original.file('bourse.db'), copy.file('bourse.db'));

    expect(await cli(copy.path, 'audit', 'mandate', keyId)).to.include('Chain, sums and caps hold.');
    await cli(copy.path, 'audit', 'export', '--out', copy.file('export.ndjson'));
    expect((await readdir(copy.path)).filter((name) => !name.startsWith('bourse.db'))).to.deep.equal([
      'export.ndjson',
    ]);
    await original.remove();
    await copy.remove();
  }).timeout(60_000);
});
