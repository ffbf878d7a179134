/**
 * All rows that nobody here wrote, where they are at hand, on both ways that operators have: each file is imported,
 * listed, counted and exported, and both ways lead to the same rows.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { z } from 'zod';
import { dataSets } from '../../projections/data-sets.ts';
import { readKnownRows } from '../../src/importing/known-rows.ts';
import type { Services } from '../../src/operations/services.ts';
import { readView } from '../../src/operations/read-view.ts';
import { bourseOn } from '../support/bourse-command.ts';
import { fieldOf, startDataApi } from '../support/data-api.ts';
import { inMarket } from '../support/own-market.ts';
import { tempFolder } from '../support/temp-folder.ts';

const DATA = fileURLToPath(new URL('../../../shared/data/', import.meta.url));
const ROWS = { tools: 3_294, models: 676, directories: 8_032 };

interface Source {
  readonly path: string;
  readonly dataset: string;
}

function sources(): readonly Source[] {
  const directories = readdirSync(`${DATA}directories`).map((name) => {
    const [platform, contentType] = name.split('.');
    return { path: `${DATA}directories/${name}`, dataset: `directory/${platform}/${contentType}` };
  });
  return [
    { path: `${DATA}ai-tools.jsonl`, dataset: 'tools' },
    { path: `${DATA}upstream/openrouter-models.json`, dataset: 'models' },
    ...directories,
  ];
}

const counted = z.object({ counts: z.object({ added: z.int(), unchanged: z.int(), refused: z.int() }) });

describe('The whole of the real data', function () {
  this.timeout(300_000);
  before(function () {
    if (existsSync(DATA)) return;
    process.stdout.write('      (skipped: ../shared/data is not there)\n');
    this.skip();
  });

  /** The ids and digests of each data set, as its history has them. */
  const knownOf = async ({ events }: Pick<Services, 'events'>) => {
    const known: Record<string, readonly string[]> = {};
    for (const { dataset } of sources()) {
      const { rows } = await readKnownRows(events, dataset);
      known[dataset] = [...rows].map(([id, { digest }]) => `${id} ${digest}`).toSorted();
    }
    return known;
  };

  it('comes in over HTTP and by the command line, is listed, counted and exported, and is the same', async () => {
    const api = await startDataApi();
    const { key } = await api.newKey({ scopes: ['operator:write'] });
    const send = async ({ path, dataset }: Source) => {
      const { status, text, body } = await api.send(
        'POST',
        `/v1/operator/imports?${new URLSearchParams({ dataset, complete: 'true' }).toString()}`,
        {
          key,
          rawBody: await readFile(path, 'utf8'),
          headers: { 'Content-Type': path.endsWith('.json') ? 'application/json' : 'application/x-ndjson' },
        },
      );
      expect(status, text).to.equal(200);
      return counted.parse(body.data).counts;
    };
    const listed: Record<string, number> = { tools: 0, models: 0, directories: 0 };
    for (const source of sources()) {
      const { dataset } = source;
      const counts = await send(source);
      expect(counts.refused, dataset).to.equal(0);
      expect(await send(source), 'once more').to.deep.include({ added: 0, unchanged: counts.added });
      await api.services.projector.caughtUp();
      const pages = await api.walk(`/api/v1/${dataset}?limit=100`);
      expect(new Set(fieldOf('id', ...pages)).size, dataset).to.equal(counts.added);
      expect(pages[0]?.body.meta['total']).to.equal(counts.added);
      for (const format of ['jsonl', 'csv']) {
        const file = `${dataset.replaceAll('/', '.')}.${format}`;
        const { data: manifest } = (await api.read(`/api/v1/export/${file}/manifest`)).body;
        const { text } = await api.read(`/api/v1/export/${file}`);
        expect(manifest['rows'], file).to.equal(counts.added);
        expect(createHash('sha256').update(text).digest('hex'), file).to.equal(manifest['sha256']);
        if (format === 'jsonl') expect(text.split('\n').length - 1).to.equal(counts.added);
      }
      const kind = dataset.startsWith('directory/') ? 'directories' : dataset;
      listed[kind] = (listed[kind] ?? 0) + counts.added;
    }
    expect(listed).to.deep.equal(ROWS);
    const { body } = await api.read('/api/v1/directory?limit=100');
    expect(body.data.reduce((sum, set) => sum + Number(set['listed']), 0)).to.equal(ROWS.directories);
    const overHttp = await knownOf(api.services);
    await api.close();

    const folder = await tempFolder();
    const settings = { DATA_DIR: folder.file('data') };
    const bourse = bourseOn(settings);
    for (const { path, dataset } of sources()) {
      const printed = await bourse.run('import', path, '--dataset', dataset, '--complete', '--json');
      const { report } = z.object({ report: counted }).parse(JSON.parse(printed));
      expect([report.counts.added, report.counts.refused], dataset).to.deep.equal([
        overHttp[dataset]?.length,
        0,
      ]);
    }
    await inMarket(settings, async ({ services }) => {
      expect(await knownOf(services)).to.deep.equal(overHttp);
      await services.projector.caughtUp();
      for (const [dataset, rows] of Object.entries(overHttp)) {
        const set = await readView(services.views, dataSets, dataset);
        expect(set).to.deep.include({ listed: rows.length, retired: 0 });
      }
    });
    await folder.remove();
  });
});
