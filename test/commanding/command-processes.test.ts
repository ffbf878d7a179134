import { expect } from 'chai';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { answerOf } from '../support/other-process.ts';
import { countOf, grantNew, type MandateOutcome, netCents } from '../support/run-commands.ts';
import { startSpender } from '../support/spender.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

describe('Two processes on one data folder', () => {
  let folder: TempFolder;
  beforeEach(async () => {
    folder = await tempFolder();
  });
  afterEach(() => folder.remove());

  it('let exactly ten of 200 spends of 10.00 at once pass a cap of 100.00, and each refusal is true', async () => {
    const { store } = await openSqliteLog({ path: folder.file('log.db') });
    const caps = { maxPerTransactionCents: 1_000, maxMonthlyCents: 10_000 };
    const mandateId = await grantNew(createCommandRunner(store), caps);
    const errand = { mandateId, count: 100, amountCents: 1_000 };
    const children = [1, 2].map(() => startSpender(folder.file('log.db'), errand));
    for (const child of children) expect(await answerOf(child)).to.equal('ready');

    const answers = children.map(answerOf);
    for (const child of children) child.send('go');
    // What spender.main.ts sends.
    const outcomes = (await Promise.all(answers)).flat() as MandateOutcome[];

    expect(outcomes).to.have.length(200);
    expect(countOf(outcomes, 'accepted')).to.equal(10);
    for (const refused of outcomes.filter(({ kind }) => kind !== 'accepted')) {
      expect(refused).to.have.nested.property('rejection.violations[0].reason', 'monthly_cap');
      expect(refused).to.have.nested.property('state.spentCents', 10_000);
    }
    expect(await netCents(store, mandateId)).to.equal(10_000);
    await store.close();
  });
});
