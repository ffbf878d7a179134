/** The real server over a log that came back shorter, older or as another one: it is refused, and nothing is written. */
import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { inMarket, prepareBuyers } from '../support/own-market.ts';
import { rejectionOf } from '../support/rejection.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const MANY_CENTS = 2_000_000;
const SPENDS_UNDER_CAP = 10;
const DEADLINE_MS = 120_000;
/** What is found is told once; each request that is refused for it has a line of its own. */
const REFUSAL = /"level":"error".*"engine":"log".*LogLost.*accept-loss/g;

describe('A server whose log is not the one that its followers know', function () {
  this.timeout(DEADLINE_MS);
  let program: Program;
  let folder: TempFolder;
  let life: Life;
  let url: string;
  let key: string;
  let dataDir: string;

  before(async () => {
    program = await buildProgram();
  });
  after(() => program.remove());
  beforeEach(async () => {
    folder = await tempFolder();
    dataDir = folder.file('data');
    mkdirSync(dataDir, { recursive: true });
    const [made] = await inMarket({ DATA_DIR: dataDir }, (market) => prepareBuyers(market, [MANY_CENTS]));
    key = made?.key ?? '';
    await begin();
    await isReady();
  });
  afterEach(async () => {
    await life.kill();
    await folder.remove();
  });

  const file = (name: string): string => `${dataDir}/${name}`;
  async function begin(): Promise<void> {
    life = program.start({ DATA_DIR: dataDir });
    url = await life.url;
  }
  const readiness = async (): Promise<number> => (await fetch(`${url}/readyz`)).status;
  const isReady = () => until('it is ready', async () => (await readiness()) === 200);
  async function spend(): Promise<number> {
    const answer = await fetch(`${url}/v1/trials`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': randomUUID(),
      },
      body: JSON.stringify({ agent: 'invoice-matcher', brief: 'Match.' }),
    });
    await answer.arrayBuffer();
    return answer.status;
  }
  async function spendTimes(count: number): Promise<void> {
    for (let made = 0; made < count; made += 1) expect(await spend()).to.equal(201);
  }
  const viewsAreThere = () =>
    until('the views have taken in all', async () => {
      const { data } = JSON.parse(await (await fetch(`${url}/readyz`)).text());
      const { head, views } = data;
      return views.every(({ checkpoint }: { checkpoint: string }) => checkpoint === head);
    });
  async function stopped<Result>(work: () => Promise<Result>): Promise<Result> {
    await life.stop();
    const result = await work();
    await begin();
    await isReady();
    return result;
  }
  function events(): number {
    const db = new Database(file('bourse.db'), { readonly: true });
    try {
      return Number(db.prepare('SELECT count(*) FROM events').pluck().get());
    } finally {
      db.close();
    }
  }
  /** As a disk that gives back something else. */
  function damageWal(share: number): void {
    const path = file('bourse.db-wal');
    const place = Math.floor(readFileSync(path).length * share);
    const descriptor = openSync(path, 'r+');
    writeSync(descriptor, Buffer.from([0xde, 0xad, 0xbe, 0xef]), 0, 4, place);
    closeSync(descriptor);
  }
  async function isRefused(problem: RegExp): Promise<void> {
    const before = events();
    expect(await readiness(), '/readyz').to.equal(503);
    expect(await spend(), 'a spend').to.equal(503);
    expect(events(), 'events').to.equal(before);
    await until('it says so', async () => REFUSAL.test(life.printed()));
    const lines = life.printed().match(REFUSAL) ?? [];
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]).to.match(problem);
  }

  it('refuses a log whose write-ahead log was damaged, and says how many events are missing', async () => {
    await spendTimes(10);
    await viewsAreThere();
    await life.kill();
    damageWal(0.6);
    await begin();
    await isRefused(
      /has seen 0{12}\d{4} of 20\S+Z, and the log ends at 0{12}\d{4} of 20\S+Z: \d+ events are missing/,
    );
  });

  it('passes no cap once the loss was accepted: what the views know counts again', async () => {
    const [capped] = await stopped(() =>
      inMarket({ DATA_DIR: dataDir }, (market) => prepareBuyers(market, [SPENDS_UNDER_CAP * 2_000])),
    );
    key = capped?.key ?? '';
    let made = 0;
    while ((await spend()) === 201) made += 1;
    expect(made).to.be.above(3);
    await viewsAreThere();
    await life.kill();
    damageWal(0.7);
    const settings = { DATA_DIR: dataDir };
    const asked = await rejectionOf(program.run(settings, ['log', 'accept-loss', '--reason', 'A bad disk.']));
    expect(String(asked)).to.match(/nothing was done: the same with --yes accepts it/);
    await program.run(settings, ['log', 'accept-loss', '--reason', 'A bad disk.', '--yes']);
    const again = await rejectionOf(
      program.run(settings, ['log', 'accept-loss', '--reason', 'A bad disk.', '--yes']),
    );
    expect(String(again)).to.match(/nothing is lost/);
    await begin();
    await isReady();
    expect(await spend(), 'one more than the cap').to.equal(403);
    await life.stop();
    expect(await program.run(settings, ['log', 'check'])).to.match(/Every part of the log holds/);
  });

  it('lays no write-ahead log on an older copy of the log, also where a cap was spent, and can go on without it', async () => {
    const [capped] = await stopped(() =>
      inMarket({ DATA_DIR: dataDir }, (market) => prepareBuyers(market, [SPENDS_UNDER_CAP * 2_000])),
    );
    key = capped?.key ?? '';
    const isCopied = () =>
      until('all of it is in the file', async () => readFileSync(file('bourse.db-wal')).length === 0);
    await spendTimes(3);
    await isCopied();
    copyFileSync(file('bourse.db'), folder.file('older.db'));
    await spendTimes(3);
    await isCopied();
    let made = 6;
    while ((await spend()) === 201) made += 1;
    expect(made).to.equal(SPENDS_UNDER_CAP);
    await viewsAreThere();
    await life.kill();
    copyFileSync(folder.file('older.db'), file('bourse.db'));
    const settings = { DATA_DIR: dataDir };
    const accepting = ['log', 'accept-loss', '--reason', 'A bad disk.', '--yes'];
    for (const command of [['serve'], ['log', 'check'], accepting])
      expect(String(await rejectionOf(program.run(settings, command)))).to.match(
        /\nbourse: [^\n]*bourse\.db-wal do not belong together: [^\n]*\n?$/,
      );
    for (const suffix of ['-wal', '-shm']) rmSync(file(`bourse.db${suffix}`));
    await program.run(settings, accepting);
    await begin();
    await isReady();
    expect(await spend(), 'one more than the cap').to.equal(403);
  });

  it('accepts no loss while a server has the log open, and one that found it stays so until it is started again', async () => {
    await spendTimes(4);
    await viewsAreThere();
    const accept = () =>
      program.run({ DATA_DIR: dataDir }, ['log', 'accept-loss', '--reason', 'A bad disk.', '--yes']);
    const isOpen = /bourse\.db is open in another process: stop the service/;
    expect(String(await rejectionOf(accept()))).to.match(isOpen);
    expect(await spend()).to.equal(201);
    await life.kill();
    damageWal(0.6);
    await begin();
    await isRefused(/events are missing/);
    expect(String(await rejectionOf(accept()))).to.match(isOpen);
    expect(await spend()).to.equal(503);
    await life.kill();
    expect(await accept()).to.match(/^Accepted/);
    await begin();
    await isReady();
  });

  it('knows what was acknowledged last also where the views are gone', async () => {
    await spendTimes(4);
    await life.kill();
    damageWal(0.9);
    for (const name of [
      'views.db',
      'views.db-wal',
      'views.db-shm',
      'queue.db',
      'queue.db-wal',
      'queue.db-shm',
    ])
      rmSync(file(name), { force: true });
    await begin();
    await isRefused(/the file beside the log has seen/);
  });

  it('refuses an older copy of the log, also once it has gone on', async () => {
    await life.stop();
    copyFileSync(file('bourse.db'), folder.file('older.db'));
    await begin();
    await spendTimes(5);
    await viewsAreThere();
    await life.stop();
    const kept = folder.file('kept');
    cpSync(dataDir, kept, { recursive: true });

    copyFileSync(folder.file('older.db'), file('bourse.db'));
    await begin();
    await isRefused(/\d+ events are missing/);
    await life.stop();

    // It goes on where nobody who follows it can object, and comes back.
    for (const name of ['views.db', 'queue.db', 'bourse.db-head']) rmSync(file(name), { force: true });
    await begin();
    await isReady();
    await spendTimes(9);
    await life.stop();
    for (const name of ['views.db', 'queue.db']) copyFileSync(`${kept}/${name}`, file(name));
    await begin();
    await isRefused(/has seen another event at/);
    await life.stop();

    for (const name of ['bourse.db', 'bourse.db-head']) copyFileSync(`${kept}/${name}`, file(name));
    await begin();
    await isReady();
    expect(await spend()).to.equal(201);
  });

  it('begins no new history where the log is missing, and takes the right one back', async () => {
    await spendTimes(2);
    await life.stop();
    copyFileSync(file('bourse.db'), folder.file('right.db'));
    for (const name of ['bourse.db', 'bourse.db-wal', 'bourse.db-shm']) rmSync(file(name), { force: true });
    await begin();
    await isRefused(/follows another log/);
    expect(events()).to.equal(0);
    await life.stop();

    copyFileSync(folder.file('right.db'), file('bourse.db'));
    await begin();
    await isReady();
    expect(await spend()).to.equal(201);
  });

  it('writes nothing more to a log that was overwritten with an older one while it was open', async () => {
    await life.stop();
    copyFileSync(file('bourse.db'), folder.file('older.db'));
    await begin();
    await spendTimes(5);
    // In place: the file stays the same, and what SQLite makes of it is for the writer to notice.
    const older = readFileSync(folder.file('older.db'));
    const descriptor = openSync(file('bourse.db'), 'r+');
    writeSync(descriptor, older, 0, older.length, 0);
    closeSync(descriptor);
    rmSync(file('bourse.db-wal'));
    rmSync(file('bourse.db-shm'), { force: true });
    await pause(0);
    const answers = [await spend(), await spend()];
    expect(answers.every((status) => status === 503)).to.equal(true);
  });
});
