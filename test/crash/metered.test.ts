/**
 * Processes that share a meter, killed at random moments while they count, or told to stop. A few rounds by default;
 * BOURSE_CRASH_ROUNDS asks for more.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { openSqliteMeter } from '../../infra/sqlite/meter.ts';
import { type Metered, startMetered } from '../support/metered.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const ROUNDS = Number(process.env['BOURSE_CRASH_ROUNDS'] ?? 4);
const IN_FLIGHT = 16;
const QUOTA = 1_000_000_000;

describe(`A meter whose processes are killed ${ROUNDS} times`, () => {
  it('has every request that was answered, none twice, and refills nothing', async function () {
    this.timeout(240_000 + ROUNDS * 30_000);
    const folder = await tempFolder();
    const path = folder.file('meter.db');
    const accountId = 'acc_killed';
    const draw = {
      accountId,
      keyId: 'key_a',
      operation: 'listTools',
      allowance: { perMinute: QUOTA, perMonth: QUOTA },
      costsQuota: true,
    };
    const errand = { place: { kind: 'sqlite', path } as const, draw, requests: 1e9, inFlight: IN_FLIGHT };
    const { meter, close } = openSqliteMeter(path);
    const period = new Date().toISOString().slice(0, 7);
    await meter.seed({ accountId, period, totals: { counted: 0, returned: 0 } });

    let answered = 0;
    let inDoubt = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const nodes: Metered[] = await Promise.all([startMetered(errand), startMetered(errand)]);
      for (const node of nodes) node.go();
      await until('both have counted', () => nodes.every((node) => node.counted() > 0), 60_000);
      await delay(Math.random() * 200);
      const isKill = round % 2 === 0;
      await Promise.all(nodes.map((node) => node.end(isKill ? 'SIGKILL' : 'SIGTERM')));
      answered += nodes.reduce((sum, node) => sum + node.counted(), 0);
      // Of a node that is killed, what was under way, and what was answered and not heard of.
      if (isKill) inDoubt += nodes.length;
      const read = await meter.read(accountId, draw.allowance, null);
      if (read.kind === 'unseeded') throw new Error('the meter lost the month');
      const { counted, returned } = read.reading.month.totals;
      expect(counted, `after round ${round}`).to.be.at.least(answered);
      if (inDoubt === 0) expect(counted).to.equal(answered);
      expect(returned).to.equal(0);
      // What was in doubt is known by now.
      answered = counted;
      inDoubt = 0;
      if (!isKill) continue;
      // A restart refills nothing: the very next request finds the minute as full.
      expect(read.reading.minute.used).to.be.at.least(nodes.reduce((sum, node) => sum + node.counted(), 0));
    }
    await close();
    await folder.remove();
  });
});
