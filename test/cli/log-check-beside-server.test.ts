/** `bourse log check` beside a server that writes all the while: it reads in parts, and takes nothing new for damage. */
import { expect } from 'chai';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { ask } from '../support/fleet.ts';
import { inMarket, prepareBuyers } from '../support/own-market.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const MANY_CENTS = 2_000_000_000;
const BUYERS = 8;
/** More than one part of each index, and several pages of events. */
const EVENTS = 2_500;
const CHECKS = 3;
const DEADLINE_MS = 180_000;

describe('bourse log check beside a server that takes spends', function () {
  this.timeout(2 * DEADLINE_MS);
  let folder: TempFolder;
  let program: Program;
  let life: Life;
  let url: string;
  let key: string;
  before(async () => {
    folder = await tempFolder();
    program = await buildProgram();
    const [made] = await inMarket(settings(), (market) => prepareBuyers(market, [MANY_CENTS]));
    key = made?.key ?? '';
    life = program.start(settings());
    url = await life.url;
  });
  after(async () => {
    await life.kill();
    await program.remove();
    await folder.remove();
  });

  const settings = () => ({ DATA_DIR: folder.path });
  const head = async (): Promise<number> =>
    Number(JSON.parse(await (await ask(`${url}/readyz`, '')).text()).data.head);
  const check = async () => JSON.parse(await program.run(settings(), ['log', 'check', '--json']));

  it('finds nothing wrong, and ends, while spends go on', async () => {
    let isOver = false;
    let taken = 0;
    const spendAlways = async (): Promise<void> => {
      while (!isOver) {
        const answer = await ask(`${url}/v1/trials`, key, { agent: 'invoice-matcher', brief: 'Match.' });
        const text = await answer.text();
        expect(answer.status, text).to.equal(201);
        taken += 1;
      }
    };
    const buyers = Promise.all(Array.from({ length: BUYERS }, spendAlways));
    const checking = async (): Promise<void> => {
      await until('there are pages of events', async () => (await head()) > EVENTS, DEADLINE_MS);
      for (let count = 0; count < CHECKS; count += 1) {
        const [known, takenBefore] = [await head(), taken];
        const report = await check();
        expect(report).to.deep.include({ holds: true, findings: [], moreFindings: 0, isInterrupted: false });
        expect(report.events).to.be.at.least(known);
        expect(taken, 'spends meanwhile').to.be.above(takenBefore);
      }
    };
    await Promise.race([checking(), buyers]).finally(() => (isOver = true));
    await buyers;
    await life.stop();
    const { holds, events } = await check();
    expect({ holds, isLonger: events > 2 * taken }).to.deep.equal({ holds: true, isLonger: true });
  });
});
