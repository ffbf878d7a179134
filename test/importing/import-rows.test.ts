import { expect } from 'chai';
import type { ImportRequest } from '../../src/importing/import-rows.ts';
import { readKnownRows } from '../../src/importing/known-rows.ts';
import {
  eventsOf,
  importAll,
  importText,
  jsonLines,
  MANY,
  market,
  type Market,
  reportOf,
  tool,
  typesOf,
} from './importing.ts';

async function idsOf(services: Market): Promise<string[]> {
  return [...(await readKnownRows(services.events, 'tools')).rows.keys()];
}

const TEN = Array.from({ length: 10 }, (_, n) => tool(`tool-${n}`));

describe('An import', () => {
  it('adds what is new, with who imported what from which source', async () => {
    const services = market();
    const report = await reportOf(importAll(services, TEN));
    expect(report).to.deep.include({ rows: 10, refused: [], collisions: [] });
    expect(report.counts).to.deep.include({ added: 10, unchanged: 0 });
    const [begun, rows, finished, ...more] = await eventsOf(services);
    expect(more).to.deep.equal([]);
    expect(begun?.meta.actor).to.equal('cli');
    expect(begun?.data).to.deep.include({ batches: 1, isComplete: false });
    expect(begun?.data).to.have.nested.property('source.bytes', Buffer.byteLength(jsonLines(TEN)));
    expect([rows?.type, finished?.type]).to.deep.equal(['RowsListed', 'ImportFinished']);
  });

  it('that changes nothing adds nothing, however its rows are ordered and written', async () => {
    const services = market();
    await reportOf(importAll(services, TEN));
    const before = await eventsOf(services);
    const others = TEN.toReversed().map((row) => Object.fromEntries(Object.entries(row).toReversed()));
    const outcome = await importAll(services, others, { isComplete: true });
    expect(outcome).to.deep.include({ ok: true, importId: null });
    expect(await eventsOf(services)).to.deep.equal(before);
  });

  it('keeps the ids of rows that say something else', async () => {
    const services = market();
    await reportOf(importAll(services, TEN));
    const ids = await idsOf(services);
    const changed = TEN.map((row) => ({ ...row, description: 'new', category: 'Other' }));
    expect((await reportOf(importAll(services, changed))).counts).to.deep.include({ added: 0, changed: 10 });
    expect(await idsOf(services)).to.deep.equal(ids);
  });

  it('retires what a complete source lacks, and gives its id again when it returns', async () => {
    const services = market();
    await reportOf(importAll(services, TEN));
    const ids = await idsOf(services);
    const without = TEN.slice(0, 8);
    expect((await reportOf(importAll(services, without))).counts.retired).to.equal(0);
    expect((await reportOf(importAll(services, without, { isComplete: true }))).counts.retired).to.equal(2);
    const report = await reportOf(importAll(services, TEN, { isComplete: true }));
    expect(report.counts).to.deep.include({ returned: 2, added: 0, unchanged: 8 });
    expect(await idsOf(services)).to.deep.equal(ids);
  });

  it('retires no more than a fifth unasked, and then changes nothing at all', async () => {
    const services = market();
    await reportOf(importAll(services, TEN));
    const before = await typesOf(services);
    const few = [...TEN.slice(0, 7), tool('new')];
    const refused = await importAll(services, few, { isComplete: true });
    expect(refused).to.deep.include({
      ok: false,
      refusal: { kind: 'retires_many', retired: 3, listed: 10 },
    });
    expect(await typesOf(services)).to.deep.equal(before);
    const asked = importAll(services, few, { isComplete: true, mayRetireMany: true });
    expect((await reportOf(asked)).counts).to.deep.include({ retired: 3, added: 1 });
  });

  it('changes nothing where a complete source has no row that can be taken, unless asked to', async () => {
    const services = market();
    const bad = await importText(services, 'broken', { isComplete: true });
    expect(bad).to.deep.include({ ok: false, refusal: { kind: 'no_rows', refused: 1 } });
    await reportOf(importAll(services, TEN));
    const none = await importAll(services, [], { isComplete: true });
    expect(none).to.deep.include({ ok: false, refusal: { kind: 'no_rows', refused: 0 } });
    const asked = importAll(services, [], { isComplete: true, mayRetireMany: true });
    expect((await reportOf(asked)).counts.retired).to.equal(10);
  });

  it('keeps the good rows and tells of each other one by its line', async () => {
    const services = market();
    const text = [
      JSON.stringify(tool('one')),
      '{"name": "broken',
      '',
      '[1]',
      JSON.stringify({ url: 'https://nameless.example/' }),
      `{"name":"long","description":"${'x'.repeat(70_000)}"}`,
      JSON.stringify(tool('one', { description: 'again' })),
      '{"name":"half","x":"\\ud800"}',
      '{"name":"deep","x":[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]}',
      JSON.stringify(tool('two')),
    ].join('\n');
    const report = await reportOf(importText(services, text));
    expect(report.counts).to.deep.include({ added: 3, refused: 6 });
    expect(report.refused.map(({ line }) => line)).to.deep.equal([2, 4, 5, 6, 8, 9]);
    expect(report.refused.map(({ reason }) => reason)).to.include.members([
      'it is no JSON',
      'it is no JSON object',
      'it has no name',
      'it is longer than 64 KiB',
    ]);
  });

  it('refuses a row with a number that cannot be kept as it is written, and takes the others', async () => {
    const services = market();
    const text = [
      '{"name":"endless","stars":1e999}',
      '{"name":"rounded","more":[{"stars":9007199254740993}]}',
      '{"name":"exact","stars":9007199254740991,"share":-0.1}',
    ].join('\n');
    const report = await reportOf(importText(services, text));
    expect(report.counts).to.deep.include({ added: 1, refused: 2 });
    expect(report.refused).to.deep.equal([
      { line: 1, reason: 'stars holds a number beyond 2^53, which would be kept as another' },
      { line: 2, reason: 'more holds a number beyond 2^53, which would be kept as another' },
    ]);
  });

  it('does not retire a row that its source spoilt', async () => {
    const services = market();
    await reportOf(importAll(services, TEN));
    const spoilt = [...TEN.slice(1), { ...tool('tool-0'), x: '\ud800' }];
    const report = await reportOf(importAll(services, spoilt, { isComplete: true }));
    expect(report.counts).to.deep.include({ retired: 0, refused: 1, unchanged: 9 });
  });

  it('retires nothing where a refused row has no id: it may be one of those that are missing', async () => {
    const services = market();
    await reportOf(importAll(services, TEN));
    const rest = jsonLines(TEN.slice(1));
    for (const unreadable of ['{"name":"tool-0"', '{"url":"https://tool-0.example/"}']) {
      const report = await reportOf(importText(services, `${unreadable}\n${rest}`, { isComplete: true }));
      expect(report.counts).to.deep.include({ retired: 0, refused: 1, unchanged: 9 });
      expect(report.missingKept).to.equal(1);
    }
    const whole = await reportOf(importText(services, rest, { isComplete: true }));
    expect([whole.counts.retired, whole.missingKept]).to.deep.equal([1, 0]);
  });

  it('gives rows of the same address and name ids of their own, the same however they are ordered', async () => {
    const services = market();
    const twins = [tool('twin'), tool('twin', { category: 'Law' }), tool('twin', { source: 'list' })];
    const report = await reportOf(importAll(services, twins));
    expect(report.counts.added).to.equal(3);
    expect(report.collisions.map(({ line }) => line)).to.deep.equal([2, 3]);
    expect((await reportOf(importAll(services, twins.toReversed()))).counts.unchanged).to.equal(3);
    const same = await reportOf(importAll(services, [...twins, { ...twins[1], description: 'other' }]));
    expect(same.refused).to.deep.equal([
      { line: 4, reason: 'line 2 has the same address, name, source and category already' },
    ]);
  });

  it('takes the ids of the source where it gives them, and each once', async () => {
    const services = market();
    const rows = [
      { externalId: 'acme/A', name: 'A' },
      { id: 7, name: 'B' },
      { externalId: 'acme/A', name: 'C' },
    ];
    const report = await reportOf(importAll(services, rows));
    expect(await idsOf(services)).to.deep.equal(['acme/A', '7']);
    expect(report.refused).to.deep.equal([{ line: 3, reason: 'its id "acme/A" is that of line 1' }]);
  });

  it('only tells what would change where nothing may be added', async () => {
    const services = market();
    const report = await reportOf(importAll(services, MANY, { dryRun: true }));
    expect(report.counts.added).to.equal(MANY.length);
    expect(await typesOf(services)).to.deep.equal([]);
  });

  it('keeps what was said of the source until something else is said', async () => {
    const services = market();
    const attribution = { text: 'The list', url: null, licence: 'MIT' };
    await reportOf(importAll(services, TEN, { attribution }));
    await reportOf(importAll(services, [tool('new')]));
    expect((await eventsOf(services)).at(-2)?.data).to.deep.include({ attribution });
  });

  it('names the demonstration and its licence for no rows of others', async () => {
    const services = market();
    const ofDemonstration = { text: 'The demonstration catalogue of Bourse', url: null, licence: 'CC0-1.0' };
    await reportOf(importAll(services, TEN, { attribution: ofDemonstration }));
    const same = await importAll(services, TEN);
    expect(same.ok && same.isAttributionDropped).to.equal(false);
    await reportOf(importAll(services, [...TEN, tool('new')]));
    expect((await eventsOf(services)).at(-2)?.data).to.deep.include({ attribution: null });
  });

  it('says that another attribution is dropped where no row changes', async () => {
    const services = market();
    const attribution = { text: 'The list', url: null, licence: 'MIT' };
    const dropped = async (more: Partial<ImportRequest>): Promise<unknown> => {
      const outcome = await importAll(services, TEN, more);
      return outcome.ok && outcome.isAttributionDropped;
    };
    expect(await dropped({ attribution })).to.equal(false);
    expect(await dropped({ attribution: { ...attribution } })).to.equal(false);
    expect(await dropped({})).to.equal(false);
    expect(await dropped({ attribution: { ...attribution, licence: null } })).to.equal(true);
  });
});
