import { expect } from 'chai';
import { createMemoryBlobs } from '../contract/memory/blobs.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { finishImport } from '../../src/importing/finish-import.ts';
import { readKnownRows } from '../../src/importing/known-rows.ts';
import {
  bytesOf,
  CAUSE,
  importAll,
  MANY,
  market,
  type Market,
  reportOf,
  type Row,
  tool,
  typesOf,
} from './importing.ts';

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

  it('of which what was staged is damaged adds no such row', async () => {
    const services = market();
    const blobs: Market['blobs'] = {
      ...services.blobs,
      async open(...open) {
        const bytes = await services.blobs.open(...open);
        if (bytes === null) return null;
        const chunks: Uint8Array[] = [];
        for await (const chunk of bytes) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        return bytesOf(text.replace(/"digest":"[^"]+"/, '"digest":"damaged"'));
      },
    };
    await expect_(importAll({ ...services, blobs }, MANY)).toFail();
    expect(await typesOf(services)).to.deep.equal(['ImportBegun']);
    expect((await reportOf(importAll(services, MANY))).counts.unchanged).to.equal(MANY.length);
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
