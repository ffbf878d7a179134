import { expect } from 'chai';
import type { RecordedEvent } from '../../events/event.ts';
import { createMemoryBlobs } from '../../infra/memory/blobs.ts';
import { memoryEventStore } from '../../infra/memory/event-store.ts';
import { readKnownRows } from '../../src/importing/known-rows.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import type { ImportRequest } from '../../src/importing/import-rows.ts';
import { finishImport } from '../../src/importing/finish-import.ts';
import { CAUSE, importAll, importText, jsonLines, reportOf, type Row } from './importing.ts';

function market() {
  const events = memoryEventStore();
  return { events, commands: createCommandRunner(events), blobs: createMemoryBlobs() };
}
type Market = ReturnType<typeof market>;

async function eventsOf({ events }: Market, dataset = 'tools'): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for await (const event of events.read(`dataset-${dataset}`)) all.push(event);
  return all;
}
async function typesOf(services: Market): Promise<string[]> {
  return (await eventsOf(services)).map(({ type }) => type);
}
async function idsOf(services: Market): Promise<string[]> {
  return [...(await readKnownRows(services.events, 'tools')).rows.keys()];
}

const tool = (name: string, more: Row = {}): Row => ({
  name,
  url: `https://${name}.example/`,
  category: 'Finance',
  ...more,
});
const TEN = Array.from({ length: 10 }, (_, n) => tool(`tool-${n}`));
/** More than one append takes. */
const MANY = Array.from({ length: 5_000 }, (_, n) => tool(`many-${n}`, { description: 'x'.repeat(200) }));

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

describe('A large import', () => {
  it('is many rows to an event, and leaves nothing staged', async () => {
    const services = market();
    const outcome = await importAll(services, MANY);
    if (!outcome.ok || outcome.importId === null) throw new Error('nothing was imported');
    const types = await typesOf(services);
    expect(types.length).to.be.within(100, 300);
    expect([types[0], types.at(-1)]).to.deep.equal(['ImportBegun', 'ImportFinished']);
    expect((await readKnownRows(services.events, 'tools')).rows.size).to.equal(MANY.length);
    expect(await services.blobs.open(outcome.importId, 0, 1)).to.equal(null);
  });

  it('fits into its appends with what each event says of the source', async () => {
    const attribution = {
      text: '\u4e00'.repeat(300),
      url: `https://a.example/${'x'.repeat(1_900)}`,
      licence: null,
    };
    // Each large row is a batch of its own, and so is each small one between.
    const rows = (pairs: number): Row[] =>
      Array.from({ length: pairs }, (_, n) => [
        tool(`s-${n}`),
        tool(`l-${n}`, { x: 'x'.repeat(7_800) }),
      ]).flat();
    for (const pairs of [72, 400]) {
      const report = await reportOf(importAll(market(), rows(pairs), { attribution }));
      expect(report.counts.added).to.equal(2 * pairs);
    }
  });

  it('that was broken off is finished by the next one, whatever that one brings', async () => {
    const services = market();
    await expect_(importAll(dyingAfter(services, 2), MANY)).toFail();
    const types = await typesOf(services);
    expect(types).not.to.include('ImportFinished');
    const report = await reportOf(importAll(services, [tool('next')]));
    expect(report.counts).to.deep.include({ added: 1 });
    const known = await readKnownRows(services.events, 'tools');
    expect(known.rows.size).to.equal(MANY.length + 1);
    expect((await typesOf(services)).filter((type) => type === 'ImportFinished')).to.have.length(2);
  });

  it('that cannot be finished is abandoned, and the next one brings the rest', async () => {
    const services = market();
    await expect_(importAll(dyingAfter(services, 2), MANY)).toFail();
    const { underWay } = await readKnownRows(services.events, 'tools');
    if (underWay === null) throw new Error('nothing is under way');
    await services.blobs.remove(underWay);
    const report = await reportOf(importAll(services, MANY));
    expect(report.counts.added + report.counts.unchanged).to.equal(MANY.length);
    expect(report.counts.unchanged).to.be.above(0);
    expect(await typesOf(services)).to.include('ImportAbandoned');
  });

  it('that somebody else abandons meanwhile is refused, and the next one brings the rest', async () => {
    const services = market();
    let appends = 0;
    // A worker that has not the same blob store finds nothing staged after the first of its appends.
    const events: Market['events'] = {
      ...services.events,
      async append(...append) {
        const appended = await services.events.append(...append);
        appends += 1;
        const blind = {
          ...services,
          commands: createCommandRunner(services.events),
          blobs: createMemoryBlobs(),
        };
        if (appends === 2) await finishImport(blind, 'tools', CAUSE);
        return appended;
      },
    };
    const outcome = await importAll({ ...services, events, commands: createCommandRunner(events) }, MANY);
    expect(outcome).to.have.nested.property('refusal.kind', 'abandoned');
    const report = await reportOf(importAll(services, MANY));
    expect(report.counts.unchanged).to.be.above(0);
    expect((await readKnownRows(services.events, 'tools')).rows.size).to.equal(MANY.length);
  });

  it('whose staged batches somebody else has added and removed is done', async () => {
    const services = market();
    const blobs: Market['blobs'] = {
      ...services.blobs,
      async open(...open) {
        await finishImport(services, 'tools', CAUSE);
        return services.blobs.open(...open);
      },
    };
    expect(await importAll({ ...services, blobs }, MANY)).to.have.property('ok', true);
    const types = await typesOf(services);
    expect(types.filter((type) => type === 'ImportFinished')).to.have.length(1);
    expect(types).not.to.include('ImportAbandoned');
  });

  it('does not mix with another one at the same time', async () => {
    const services = market();
    const outcomes = await Promise.all([
      importAll(services, MANY),
      importAll({ ...services, commands: createCommandRunner(services.events) }, MANY.toReversed()),
    ]);
    const done = outcomes.filter(({ ok }) => ok);
    expect(done.length).to.be.at.least(1);
    for (const outcome of outcomes) if (!outcome.ok) expect(outcome.refusal.kind).to.equal('overtaken');
    const { rows, underWay } = await readKnownRows(services.events, 'tools');
    expect([rows.size, underWay]).to.deep.equal([MANY.length, null]);
  });
});

/** The log as a process has it that dies after so many appends. */
function dyingAfter(services: Market, appends: number): Market {
  let left = appends;
  const events: Market['events'] = {
    ...services.events,
    append(...append) {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('killed')) : services.events.append(...append);
    },
  };
  return { ...services, events, commands: createCommandRunner(events) };
}

function expect_(promise: Promise<unknown>) {
  return {
    async toFail(): Promise<void> {
      const failed = await promise.then(
        () => false,
        () => true,
      );
      expect(failed).to.equal(true);
    },
  };
}
