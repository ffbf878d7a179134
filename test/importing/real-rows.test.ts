/** Rows that nobody here wrote, where they are at hand: thousands of them, with all that real lists get wrong. */
import { expect } from 'chai';
import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { importText, market, reportOf } from './importing.ts';

const DATA = fileURLToPath(new URL('../../../shared/data/', import.meta.url));

describe('Real rows', () => {
  before(function () {
    if (existsSync(DATA)) return;
    process.stdout.write('      (skipped: ../shared/data is not there)\n');
    this.skip();
  });

  const importFile = (services: ReturnType<typeof market>, file: string, dataset: string) =>
    reportOf(
      importText(services, '', {
        dataset,
        format: file.endsWith('.json') ? 'json' : 'jsonl',
        bytes: createReadStream(`${DATA}${file}`),
        isComplete: true,
      }),
    );

  it('of tools are all imported, and known again', async () => {
    const services = market();
    const report = await importFile(services, 'ai-tools.jsonl', 'tools');
    expect(report.counts).to.deep.include({ added: 3_294, refused: 0 });
    const again = await importFile(services, 'ai-tools.jsonl', 'tools');
    expect(again.counts).to.deep.include({ added: 0, changed: 0, unchanged: 3_294 });
  });

  it('of models are all imported, and nothing about them is odd', async () => {
    const report = await importFile(market(), 'upstream/openrouter-models.json', 'models');
    expect(report.counts).to.deep.include({ added: 676, refused: 0 });
    expect(report.odd).to.deep.equal([]);
  });

  it('of every directory are all imported, and known again', async () => {
    const services = market();
    const files = existsSync(DATA) ? readdirSync(`${DATA}directories`) : [];
    let rows = 0;
    for (const file of files) {
      const [platform, contentType] = file.split('.');
      const dataset = `directory/${platform}/${contentType}`;
      const report = await importFile(services, `directories/${file}`, dataset);
      expect(report.refused, file).to.deep.equal([]);
      rows += report.counts.added;
      const again = await importFile(services, `directories/${file}`, dataset);
      expect(again.counts.unchanged, file).to.equal(report.counts.added);
    }
    expect(rows).to.equal(8_032);
  });
});
