import { expect } from 'chai';
import { type AddBatches, dataSetDecider } from '../../commands/data-set/data-set.ts';
import { sourceDecider } from '../../commands/data-set/source.ts';
import type { DataSetFact } from '../../events/data-set-events.ts';
import { scenarios } from '../support/given-when-then.ts';
import { ATTRIBUTION, begin, DAY_1, importIdOf, listed, retired, row } from '../support/sample-data-set.ts';

const given = scenarios(dataSetDecider);
const TOOLS = 'tools';
const at = <F extends object>(fact: F) => ({ ...fact, at: DAY_1 });

const first = begin(TOOLS, 'first', null, [listed(row('a'))], 2);
const begun: DataSetFact = { type: 'ImportBegun', data: first.terms };
const place = (batch: number) => ({ dataset: TOOLS, importId: importIdOf('first'), batch, batches: 2 });
const rowsListed: DataSetFact = {
  type: 'RowsListed',
  data: { ...place(0), attribution: ATTRIBUTION, rows: [row('a')] },
};
const rowsRetired: DataSetFact = { type: 'RowsRetired', data: { ...place(1), ids: ['b'] } };
const finished: DataSetFact = {
  type: 'ImportFinished',
  data: { dataset: TOOLS, importId: importIdOf('first') },
};
const add = (from: number, ...batches: AddBatches['batches']): AddBatches => ({
  type: 'AddBatches',
  terms: first.terms,
  from,
  batches,
});

describe('An import into a data set', () => {
  it('begins with its first batches and waits for the others', () => {
    given().when(first, DAY_1).thenFacts(begun, rowsListed);
  });

  it('is finished with its last batch, whoever adds it', () => {
    given(at(begun), at(rowsListed))
      .when(add(1, retired('b')), DAY_1)
      .thenFacts(rowsRetired, finished);
    given(at(begun))
      .when(add(0, listed(row('a')), retired('b')), DAY_1)
      .thenFacts(rowsListed, rowsRetired, finished);
  });

  it('is finished at once where its first batches are all', () => {
    const whole = begin(TOOLS, 'first', null, [listed(row('a')), retired('b')]);
    given().when(whole, DAY_1).thenFacts(begun, rowsListed, rowsRetired, finished);
  });

  it('takes no batch twice', () => {
    given(at(begun), at(rowsListed))
      .when(add(0, listed(row('a'))), DAY_1)
      .thenNothing();
    given(at(begun), at(rowsListed))
      .when(add(0, listed(row('a')), retired('b')), DAY_1)
      .thenFacts(rowsRetired, finished);
    given(at(begun), at(rowsListed), at(rowsRetired), at(finished))
      .when(add(1, retired('b')), DAY_1)
      .thenNothing();
  });

  it('leaves no batch out', () => {
    given(at(begun))
      .when(add(1, retired('b')), DAY_1)
      .thenRejected({ kind: 'out_of_order', next: 0 });
  });

  it('does not mix with another: that one waits, or was compared with rows that are out of date', () => {
    const importId = importIdOf('first');
    const second = begin(TOOLS, 'second', 'first', [listed(row('c'))]);
    given(at(begun)).when(second, DAY_1).thenRejected({ kind: 'import_under_way', importId });
    const blind = begin(TOOLS, 'second', null, [listed(row('c'))]);
    const settled = [at(begun), at(rowsListed), at(rowsRetired), at(finished)];
    given(...settled)
      .when(blind, DAY_1)
      .thenRejected({ kind: 'moved_on', importId });
    expect(dataSetDecider.decide(second, given(...settled).state, DAY_1).ok).to.equal(true);
    given().when(second, DAY_1).thenRejected({ kind: 'moved_on', importId: null });
  });

  it('that cannot be finished is abandoned, and the next begins after it', () => {
    const abandon = {
      type: 'AbandonImport',
      dataset: TOOLS,
      importId: importIdOf('first'),
      reason: 'lost',
    } as const;
    const { type: _, ...data } = abandon;
    const abandoned: DataSetFact = { type: 'ImportAbandoned', data };
    given(at(begun)).when(abandon, DAY_1).thenFacts(abandoned);
    given(at(begun), at(abandoned)).when(abandon, DAY_1).thenNothing();
    given(at(begun), at(abandoned))
      .when(add(0, listed(row('a'))), DAY_1)
      .thenRejected({ kind: 'abandoned' });
    given().when(abandon, DAY_1).thenRejected({ kind: 'not_under_way' });
  });

  it('is known by its last event alone, however many there are', () => {
    for (const fact of [begun, rowsListed, rowsRetired, finished]) {
      expect(given(at(fact)).state).to.deep.equal(given(at(begun), at(fact)).state);
    }
  });
});

describe('The source of a data set', () => {
  const givenSource = scenarios(sourceDecider);
  const fault = { reason: 'empty', detail: 'it lists no model' } as const;
  const degraded = { type: 'SourceDegraded', data: { dataset: 'models', ...fault } } as const;
  const recovered = { type: 'SourceRecovered', data: { dataset: 'models' } } as const;
  const report = (fault_: typeof fault | null) => {
    return { type: 'ReportSource', dataset: 'models', fault: fault_ } as const;
  };

  it('is told of once where it degrades and once where it is well again', () => {
    givenSource().when(report(null), DAY_1).thenNothing();
    givenSource().when(report(fault), DAY_1).thenFacts(degraded);
    givenSource(at(degraded)).when(report(fault), DAY_1).thenNothing();
    givenSource(at(degraded)).when(report(null), DAY_1).thenFacts(recovered);
    givenSource(at(degraded), at(recovered)).when(report(null), DAY_1).thenNothing();
  });
});
