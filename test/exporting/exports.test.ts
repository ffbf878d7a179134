import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createFolderScratch } from '../../infra/folder/scratch.ts';
import { type DataSetDocument, dataSets } from '../../projections/data-sets.ts';
import { createExports, type Exports } from '../../src/exporting/exports.ts';
import type { WalkedSources } from '../../src/exporting/walk-rows.ts';
import { readDataSet } from '../../src/importing/known-rows.ts';
import type { Services } from '../../src/operations/services.ts';
import { readView } from '../../src/operations/read-view.ts';
import type { Scratch } from '../../src/ports/scratch.ts';
import { importAll, type Row, tool } from '../importing/importing.ts';
import { type MemoryMarket, openMemoryMarket } from '../support/memory-market.ts';
import { tempFolder, type TempFolder } from '../support/temp-folder.ts';
import { bytesOf, linesOf } from './exported-file.ts';

describe('Exports', () => {
  let market: MemoryMarket;
  let services: Services;
  let folder: TempFolder;
  let scratch: Scratch;
  beforeEach(async () => {
    market = await openMemoryMarket();
    ({ services } = market);
    folder = await tempFolder();
    scratch = createFolderScratch(folder.file('scratch'));
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((exports) => exports.close()));
    await market.close();
    await folder.remove();
  });

  async function put(rows: readonly Row[], isComplete = false): Promise<DataSetDocument> {
    await importAll(services, rows, { isComplete, mayRetireMany: true });
    await services.projector.caughtUp();
    const set = await readView(services.views, dataSets, 'tools');
    if (set === undefined) throw new Error('nothing was imported');
    return set;
  }
  const round = (count: number, number: number): Row[] =>
    Array.from({ length: count }, (_, n) => tool(`tool-${n}`, { round: number }));
  const opened: Exports[] = [];
  function exportsOn(views: WalkedSources['views'] = services.views, now = Date.now): Exports {
    const history = readDataSet.bind(null, services.events);
    const exports = createExports({ views, scratch, history, now });
    opened.push(exports);
    return exports;
  }

  it('hold every listed row once, as its view has it, with their size and digest', async () => {
    await put(round(600, 1));
    const set = await put(round(597, 1), true);
    const exported = await exportsOn().current(set, 'jsonl');
    const bytes = await bytesOf(exported);
    const rows = linesOf(bytes);
    const { manifest } = exported;
    expect(manifest).to.deep.include({
      dataset: 'tools',
      file: 'tools.jsonl',
      rows: 597,
      bytes: bytes.length,
      position: set.position,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    const shown = await services.views.getJson('tools', rows[0]?.['id'] ?? '');
    expect(bytes.toString().split('\n')[0]).to.equal(shown);
    expect(new Set(rows.map(({ id }) => id)).size).to.equal(597);
  });

  it('are the same rows in each format', async () => {
    const set = await put(round(300, 1));
    const exports = exportsOn();
    const plain = await bytesOf(await exports.current(set, 'csv'));
    const zipped = await bytesOf(await exports.current(set, 'csv.gz'));
    expect(gunzipSync(zipped).equals(plain)).to.equal(true);
    expect(plain.toString().split('\r\n')).to.have.length(302);
  });

  it('are made once for each state of the data set, however many ask at once', async () => {
    const set = await put(round(300, 1));
    const exports = exportsOn();
    const asked = await Promise.all([1, 2, 3].map(() => exports.current(set, 'csv')));
    expect(new Set(asked).size).to.equal(1);
    expect(await exports.current(set, 'csv')).to.equal(asked[0]);

    const later = await put(round(300, 2));
    const renewed = await exports.current(later, 'csv');
    expect(renewed.manifest.position).to.equal(later.position);
    expect(exports.kept('tools', 'csv', set.position)).to.equal(asked[0]);
    await exports.current(await put(round(300, 3)), 'csv');
    expect(exports.kept('tools', 'csv', set.position)).to.equal(null);
  });

  it('leave no file under a name, and go on being read after others have taken their place', async () => {
    const set = await put(round(3_000, 1));
    const exports = exportsOn();
    const first = await exports.current(set, 'jsonl');
    const reading = first.read(0, first.manifest.bytes - 1)[Symbol.asyncIterator]();
    const chunks = [(await reading.next()).value as Uint8Array];
    for (const number of [2, 3]) await exports.current(await put(round(3_000, number)), 'jsonl');
    await exports.close();
    for (let next = await reading.next(); next.done !== true; next = await reading.next())
      chunks.push(next.value);
    const bytes = Buffer.concat(chunks);
    expect(createHash('sha256').update(bytes).digest('hex')).to.equal(first.manifest.sha256);
    expect(await readdir(folder.file('scratch'))).to.deep.equal([]);
  });

  it('give their room back an hour after they were asked for last', async () => {
    let nowMs = 0;
    const set = await put(round(10, 1));
    const exports = exportsOn(services.views, () => nowMs);
    const first = await exports.current(set, 'csv');
    nowMs += 3_700_000;
    await exports.current(set, 'jsonl');
    expect(exports.kept('tools', 'csv', set.position)).to.equal(null);
    expect((await exports.current(set, 'csv')).manifest.sha256).to.equal(first.manifest.sha256);
  });

  it('remove the empty files of processes that were killed, and nothing else', async () => {
    const path = folder.file('scratch');
    await mkdir(path);
    await writeFile(join(path, `bourse-scratch-${randomUUID()}`), '');
    await writeFile(join(path, 'not-ours'), '');
    await exportsOn().current(await put(round(3, 1)), 'csv');
    expect(await readdir(path)).to.deep.equal(['not-ours']);
  });
});
