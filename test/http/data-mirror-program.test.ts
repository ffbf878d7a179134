/** The program of docs/data-api.md keeps a mirror, as it is printed there. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { PLANS } from '../../commands/subscription/plans.ts';
import { createMemoryMeter } from '../contract/memory/meter.ts';
import { startDataApi } from '../support/data-api.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const PAGE = readFileSync(new URL('../../docs/data-api.md', import.meta.url), 'utf8');
const run = promisify(execFile);

describe('The mirror of docs/data-api.md', () => {
  it('waits where the minute is used up, and goes on', async () => {
    const [, program = ''] = /^```js\n([\s\S]*?)^```$/m.exec(PAGE) ?? [];
    const folder = await tempFolder();
    let nowMs = Date.now();
    const meter = createMemoryMeter(() => nowMs);
    const api = await startDataApi({ engines: { meter } });
    const { key, accountId } = await api.customer('starter');
    await api.importInto(
      'tools',
      Array.from({ length: 250 }, (_, n) => ({ name: `tool ${n}` })),
    );
    for (let n = 1; n < PLANS.starter.perMinute; n += 1) await api.get('/api/v1/usage', { key });
    // One is left, and the others come in a second.
    nowMs += 59_000;
    const [script, FILE] = [join(folder.path, 'mirror.mjs'), join(folder.path, 'mirror.json')];
    await writeFile(script, program);
    const running = run(process.execPath, [script], { env: { BASE: api.url, KEY: key, FILE } });
    await until('it was refused', async () => {
      const read = await meter.read(accountId, PLANS.starter, null);
      return read.kind === 'read' && read.reading.refused.minute > 0;
    });
    nowMs += 2_000;
    expect((await running).stdout.trim()).to.equal('250 rows');
    await api.close();
    await folder.remove();
  });

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
  });
});
