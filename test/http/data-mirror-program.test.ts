/** The program of docs/data-api.md keeps a mirror, as it is printed there. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { startDataApi } from '../support/data-api.ts';
import { tempFolder } from '../support/temp-folder.ts';

const PAGE = readFileSync(new URL('../../docs/data-api.md', import.meta.url), 'utf8');
const run = promisify(execFile);

describe('The mirror of docs/data-api.md', () => {
  it('has what is listed, and goes on where it ended', async () => {
    const [, program = ''] = /^```js\n([\s\S]*?)^```$/m.exec(PAGE) ?? [];
    const folder = await tempFolder();
    const api = await startDataApi();
    const { key } = await api.customer('starter');
    const [script, FILE] = [join(folder.path, 'mirror.mjs'), join(folder.path, 'mirror.json')];
    await writeFile(script, program);
    const keep = async () => {
      const { stdout } = await run(process.execPath, [script], { env: { BASE: api.url, KEY: key, FILE } });
      const { rows } = JSON.parse(await readFile(FILE, 'utf8'));
      return [stdout.trim(), Object.values<{ name: string }>(rows).map(({ name }) => name)];
    };
    expect(await keep()).to.deep.equal(['0 rows', []]);
    const names = Array.from({ length: 130 }, (_, n) => `tool ${n}`);
    await api.importInto(
      'tools',
      names.map((name) => ({ name })),
    );
    const [said, kept] = await keep();
    expect(said).to.equal('130 rows');
    expect(kept).to.have.members(names);
    await api.importInto(
      'tools',
      names.slice(5).map((name) => ({ name })),
      { isComplete: true },
    );
    const [less, left] = await keep();
    expect(less).to.equal('125 rows');
    expect(left).to.have.members(names.slice(5));
    await api.close();
    await folder.remove();
  }).timeout(60_000);
});
