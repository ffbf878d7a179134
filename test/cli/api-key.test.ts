import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { apiKeyGiven } from '../../src/cli/api-key.ts';
import { tempFolder } from '../support/temp-folder.ts';

describe('The API key of a command', () => {
  it('is what its file holds, of which no more is read than a key may have', async () => {
    const folder = await tempFolder();
    const keyFile = folder.file('key');
    await writeFile(keyFile, 'brs_ak_0123\n');
    expect(await apiKeyGiven({ keyFile })).to.equal('brs_ak_0123');
    for (const wrong of ['', 'one two', 'x'.repeat(1_025)]) {
      await writeFile(keyFile, wrong);
      expect(await whyNot(keyFile)).to.include('must hold one API key and nothing else');
    }
    expect(await whyNot('/dev/zero')).to.include('must hold one API key and nothing else');
    expect(await whyNot(folder.path)).to.include('cannot be read');
    await folder.remove();
  });
});

async function whyNot(keyFile: string): Promise<string> {
  return String(await apiKeyGiven({ keyFile }).catch((error: unknown) => error));
}
