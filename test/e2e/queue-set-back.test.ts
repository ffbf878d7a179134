/** The built program over an older `queue.db`, as from a backup: what that forgot is given once more, under the same ids. */
import { copyFileSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { ask } from '../support/fleet.ts';
import { type HttpsSink, startHttpsSink } from '../support/https-sink.ts';
import { inMarket, prepareBuyers } from '../support/own-market.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const MANY_CENTS = 2_000_000;
const TRIALS = 3;
const DEADLINE_MS = 60_000;

describe('A server over an older copy of its queue', function () {
  this.timeout(4 * DEADLINE_MS);
  let folder: TempFolder;
  let program: Program;
  let sink: HttpsSink;
  let life: Life;
  let url: string;
  let key: string;
  before(async () => {
    folder = await tempFolder();
    program = await buildProgram({ notifiesThisMachine: true });
    sink = await startHttpsSink();
    const [made] = await inMarket({ DATA_DIR: folder.path }, (market) => prepareBuyers(market, [MANY_CENTS]));
    key = made?.key ?? '';
    await begin();
  });
  after(async () => {
    await life.kill();
    await sink.close();
    await program.remove();
    await folder.remove();
  });

  async function begin(): Promise<void> {
    life = program.start({ DATA_DIR: folder.path, ...sink.env });
    url = await life.url;
  }
  /** The notifications of a job that came, by their ids, each as often as it came. */
  const idsOf = (jobId: string): readonly string[] =>
    sink.received
      .filter(({ body }) => body.includes(jobId))
      .map(({ headers }) => String(headers['webhook-id']));
  async function buy(): Promise<string> {
    const made = await ask(`${url}/v1/trials`, key, { agent: 'invoice-matcher', brief: 'Match.' });
    expect(made.status).to.equal(201);
    return JSON.parse(await made.text()).data.id;
  }
  /** A job of which its buyer has been told. */
  async function boughtAndTold(): Promise<string> {
    const jobId = await buy();
    await until('it is told', () => idsOf(jobId).length > 0, DEADLINE_MS);
    return jobId;
  }

  it('tells again, once and under the same ids, what it told since, says so once, and goes on', async () => {
    const made = await ask(`${url}/v1/webhook-endpoints`, key, { url: sink.url });
    expect(made.status).to.equal(201);
    const before = await boughtAndTold();
    await life.stop();
    copyFileSync(folder.file('queue.db'), folder.file('older.db'));

    await begin();
    const forgotten: string[] = [];
    for (let count = 0; count < TRIALS; count += 1) forgotten.push(await boughtAndTold());
    await life.stop();
    const known = new Set(forgotten.flatMap(idsOf));
    const toldBefore = idsOf(before);

    for (const suffix of ['', '-wal', '-shm']) rmSync(folder.file(`queue.db${suffix}`), { force: true });
    copyFileSync(folder.file('older.db'), folder.file('queue.db'));
    await begin();
    await until(
      'all of it is told again',
      () => forgotten.every((id) => idsOf(id).length === 2 * new Set(idsOf(id)).size),
      DEADLINE_MS,
    );
    const after = await boughtAndTold();
    await life.stop();
    const warnings = life
      .printed()
      .split('\n')
      .filter((line) => line.includes('the queue was set back'));
    await begin();
    await boughtAndTold();
    await life.stop();

    expect(warnings).to.have.lengthOf(1);
    expect(warnings[0]).to.match(/"level":"warn".*"reactions":\[.*"when-job-changed-notify"/);
    expect(life.printed(), 'at the next start').not.to.include('the queue was set back');
    expect(new Set(forgotten.flatMap(idsOf)), 'a receiver that goes by the ids').to.deep.equal(known);
    expect(forgotten.flatMap(idsOf), 'once more').to.have.lengthOf(2 * known.size);
    // What the older copy knows, and what came after it, is told as ever.
    expect(idsOf(before)).to.deep.equal(toldBefore);
    expect(idsOf(after)).to.have.lengthOf(new Set(idsOf(after)).size);
  });
});
