/** Rows on every set of engines: imported, found again by every view, and followed by their changes. */
import { expect } from 'chai';
import { dataSets } from '../../projections/data-sets.ts';
import type { DirectoryRowDocument } from '../../projections/directory-rows.ts';
import type { ModelDocument } from '../../projections/model-document.ts';
import { readView } from '../../src/operations/read-view.ts';
import { parseDocument } from '../../projections/stored-document.ts';
import { engineSets, type RunningEngines, withEngines } from '../support/engine-sets.ts';
import { inMarket } from '../support/own-market.ts';
import { importAll, type Row } from './importing.ts';

const SERVERS = 'directory/mcp/servers';
const ROWS = 150;

const server = (n: number, more: Row = {}): Row => ({
  externalId: `io.example/Server-${n}`,
  name: `Server ${n}`,
  category: n % 2 === 0 ? 'Finance' : 'Law',
  description: n === 7 ? 'Reads ledgers' : 'Something else',
  ...more,
});
const model = (id: string, prompt: string): Row => ({
  id,
  name: id,
  architecture: { modality: 'text->image' },
  pricing: { prompt },
  top_provider: {},
});

for (const engines of engineSets) {
  withEngines(`Imported rows on ${engines.name}`, engines, (start) => {
    let running: RunningEngines;
    before(async function () {
      this.timeout(120_000);
      running = await start();
    });
    after(() => running.close());

    it('are found by filters, words and prices, and followed by their changes', async () => {
      await inMarket(running.settings, async ({ services }) => {
        const rows = Array.from({ length: ROWS }, (_, n) => server(n));
        await importAll(services, rows, { dataset: SERVERS });
        const fewer = [server(1, { description: 'Changed' }), ...rows.slice(2)];
        await importAll(services, fewer, { dataset: SERVERS, isComplete: true });
        const models = [model('acme/A:free', '0.000002'), model('b/B', '-1'), model('b/C', '0.0000003')];
        await importAll(services, models, { dataset: 'models' });
        await services.projector.caughtUp();
        const { views } = services;

        const named = (page: { readonly rows: readonly string[] }) =>
          page.rows.map((json) => parseDocument<DirectoryRowDocument>(json).id);
        const found = await views.page('directory-rows', {
          filter: { dataset: SERVERS, status: 'listed', category: 'law' },
          order: 'name',
          limit: 2,
        });
        expect([found.total, named(found)[0]]).to.deep.equal([ROWS / 2, 'io.example/Server-1']);
        const byWord = { filter: { dataset: SERVERS }, order: 'relevance', limit: 5, words: ['ledg'] };
        expect(named(await views.page('directory-rows', byWord))).to.deep.equal(['io.example/Server-7']);

        const changes: string[] = [];
        let after: readonly (string | number | null)[] | null = [];
        while (after !== null) {
          const page = await views.page('directory-rows', {
            filter: { dataset: SERVERS },
            order: 'position',
            limit: 40,
            ...(after.length === 0 ? {} : { after }),
          });
          changes.push(...named(page));
          after = page.next;
        }
        expect(changes).to.have.length(ROWS);
        expect(changes.slice(-2)).to.deep.equal(['io.example/Server-1', 'io.example/Server-0']);

        const set = await readView(views, dataSets, SERVERS);
        if (set === undefined) throw new Error('nothing was imported');
        const { manifest, read } = await services.exports.current(set, 'jsonl');
        const parts: Uint8Array[] = [];
        for await (const part of read(0, manifest.bytes - 1)) parts.push(part);
        const lines = Buffer.concat(parts).toString().trimEnd().split('\n');
        expect(lines.map((line) => parseDocument<DirectoryRowDocument>(line).id)).to.deep.equal(
          changes.filter((id) => id !== 'io.example/Server-0'),
        );
        expect([manifest.rows, manifest.position]).to.deep.equal([ROWS - 1, set.position]);

        const cheap = await views.page('models', {
          filter: { outputModality: 'image', promptPricePico: { max: 2_000_000 } },
          order: 'promptPrice',
          limit: 5,
        });
        expect(cheap.rows.map((json) => parseDocument<ModelDocument>(json).id)).to.deep.equal([
          'b/C',
          'acme/A:free',
        ]);
        const capital = await views.getJson('models', 'acme/A:free');
        expect(capital && parseDocument<ModelDocument>(capital).perMillion).to.deep.equal({ prompt: '2' });
      });
    }).timeout(180_000);
  });
}
