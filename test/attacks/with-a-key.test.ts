/** What somebody with one key can do to a server and to its other users, by making and ending without a charge. */
import { expect } from 'chai';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import type { Settings } from '../support/served-market.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import {
  answerTimeDuring,
  answerTimeWithout,
  type Ask,
  expectAsSoon,
  measured,
  memoryOf,
  namesFrom,
  newBuyer,
  newBuyerKey,
} from './attacked.ts';

/** For each account; the others stay below. */
const TRIALS = 80;
const CYCLES = 240;
const CALLERS = 8;
const OTHERS_TRIALS = 15;
const MAX_ANSWER_MS = 100;
/** No DNS server: the messages go nowhere. */
const NOBODY = '127.0.0.1:9';
const MAX_GROWTH_BYTES = 64 * 1_024 * 1_024;
const SMALL = { agent: 'invoice-matcher', brief: 'Match.' };
const LARGE = {
  agent: 'invoice-matcher',
  brief: 'x'.repeat(8_000),
  inputs: { text: 'x'.repeat(50_000) },
};

describe('An attacker with one key', function () {
  this.timeout(180_000);
  let program: Program;
  let folder: TempFolder;
  let life: Life | undefined;
  before(async () => (program = await buildProgram()));
  beforeEach(async () => void (folder = await tempFolder()));
  afterEach(async () => {
    await life?.kill();
    await folder.remove();
  });
  after(() => program.remove());

  /** Cycles side by side until each caller has had its share: nobody else may notice. Answers with all statuses. */
  async function attacked(
    limits: Settings,
    count: number,
    cycle: (attack: Ask, statuses: number[]) => Promise<void>,
  ): Promise<readonly number[]> {
    const settings = { DATA_DIR: folder.path, LOG_LEVEL: 'error', ...measured(), ...limits };
    await program.run(settings, ['seed']);
    life = program.start(settings);
    const url = await life.url;
    const { pid } = life;
    const attack = await newBuyer(program, settings, url, 'attacker');
    const key = await newBuyerKey(program, settings, 'other');
    const trial = { url: `${url}/v1/trials`, pid, order: { key, body: SMALL } };
    const othersTime = (): Promise<number> => answerTimeWithout(trial, OTHERS_TRIALS);
    await othersTime();
    const before = { memory: await memoryOf(pid), othersMs: await othersTime() };
    const statuses: number[] = [];
    const caller = async (): Promise<void> => {
      for (let i = 0; i < count / CALLERS; i += 1) await cycle(attack, statuses);
    };
    let othersMs = Infinity;
    const took = await answerTimeDuring({ url: `${url}/healthz`, pid }, async () => {
      const attacking = Promise.all(Array.from({ length: CALLERS }, caller));
      othersMs = await othersTime();
      await attacking;
    });
    expect(took).to.be.below(MAX_ANSWER_MS);
    expect((await memoryOf(pid)) - before.memory).to.be.below(MAX_GROWTH_BYTES);
    expectAsSoon(othersMs, [before.othersMs, await othersTime()]);
    return statuses;
  }

  it('cannot fill the disk by trial, cancel, repeat, and holds up nobody else', async () => {
    const limits = { ACCOUNT_DAILY_TRIALS: String(TRIALS) };
    const statuses = await attacked(limits, CYCLES, async (attack, all) => {
      const { status, id } = await attack('POST', '/v1/trials', LARGE);
      all.push(status);
      if (id !== undefined) await attack('POST', `/v1/jobs/${id}/cancel`);
    });
    expect(statuses.filter((status) => status === 201)).to.have.lengthOf(TRIALS);
    expect(statuses.filter((status) => status === 429)).to.have.lengthOf(CYCLES - TRIALS);
  });

  it('nor by making, trying and removing an endpoint', async () => {
    // Of which each command takes a KiB.
    const limits = { ACCOUNT_DAILY_MIB: '1', ...namesFrom(NOBODY) };
    const statuses = await attacked(limits, 600, async (attack, all) => {
      const made = await attack('POST', '/v1/webhook-endpoints', { url: 'https://nobody.example/' });
      all.push(made.status);
      if (made.id === undefined) return;
      const path = `/v1/webhook-endpoints/${made.id}`;
      for (const { status } of [await attack('POST', `${path}/test`), await attack('DELETE', path)])
        all.push(status);
    });
    expect(statuses.filter((status) => status < 400)).to.have.lengthOf.within(900, 1_024);
    expect(statuses.at(-1)).to.equal(429);
  });
});
