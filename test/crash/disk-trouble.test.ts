/** The real server on a disk that misbehaves: nothing is acknowledged that could be lost, and /readyz says so in time. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { setImmutable, whyNotImmutable } from '../support/immutable.ts';
import { inMarket, prepareBuyers } from '../support/own-market.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { defineUnless } from '../support/untested.ts';
import { until } from '../support/until.ts';

const MANY_CENTS = 2_000_000;
const DEADLINE_MS = 120_000;
/** Of this byte alone no page of SQLite is made. */
const NO_PAGE = 0xa5;

describe('A server whose files or disk are taken away', function () {
  this.timeout(DEADLINE_MS);
  let program: Program;
  let folder: TempFolder;
  let life: Life;
  const lives: Life[] = [];
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
    await prepare();
  });
  afterEach(async () => {
    for (const each of lives.splice(0)) await each.kill();
    await folder.remove();
  });

  const settings = () => ({ DATA_DIR: dataDir });
  const file = (name: string): string => `${dataDir}/${name}`;
  async function prepare(): Promise<void> {
    mkdirSync(dataDir, { recursive: true });
    const [made] = await inMarket(settings(), (market) => prepareBuyers(market, [MANY_CENTS]));
    key = made?.key ?? '';
    await begin();
  }
  async function begin(): Promise<void> {
    life = program.start(settings());
    lives.push(life);
    url = await life.url;
    await isReady();
  }
  const ask = (path: string): Promise<Response> =>
    fetch(url + path, { headers: { Authorization: `Bearer ${key}` } });
  const readiness = async () => {
    const answer = await fetch(`${url}/readyz`);
    // Behind a token or not: the status of the answer and its own word for it are enough.
    return { status: answer.status, text: await answer.text() };
  };
  const isReady = () =>
    until('it is ready', async () => {
      const { status, text } = await readiness();
      return status === 200 && text.includes('"status":"ready"');
    });
  /** By looks of monitoring alone: the first that finds it is the one that tells. */
  const isToldOfLog = (why: RegExp) =>
    until('it is told why', async () => {
      const { status } = await readiness();
      return (
        status === 503 && linesWith(/"engine":"log".*engine cannot be used/).some((line) => why.test(line))
      );
    });
  async function spend(brief = 'Match.'): Promise<string | number> {
    const answer = await fetch(`${url}/v1/trials`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': randomUUID(),
      },
      body: JSON.stringify({ agent: 'invoice-matcher', brief }),
    });
    const text = await answer.text();
    return answer.status === 201 ? (/"id":"(job_\w+)"/.exec(text)?.[1] ?? '') : answer.status;
  }
  /** In place, as a disk that gives back something else: the file stays the same one. */
  function overwrite(name: string, bytes: Buffer): void {
    const descriptor = openSync(file(name), 'r+');
    writeSync(descriptor, bytes, 0, bytes.length, 0);
    closeSync(descriptor);
  }
  const linesWith = (words: RegExp): string[] =>
    life
      .printed()
      .split('\n')
      .filter((line) => words.test(line));

  const removals: readonly (readonly [what: string, remove: () => void])[] = [
    ['is removed', () => rmSync(file('bourse.db'))],
    [
      'is replaced by a copy of itself',
      () => {
        copyFileSync(file('bourse.db'), file('copy.db'));
        renameSync(file('copy.db'), file('bourse.db'));
      },
    ],
    ['is moved away with its whole folder', () => renameSync(dataDir, folder.file('elsewhere'))],
  ];
  for (const [what, remove] of removals) {
    it(`acknowledges nothing more once its log ${what}, and says what to do`, async () => {
      expect(await spend()).to.match(/^job_/);
      remove();

      // The very next one: nobody had to wait for it to be noticed.
      expect(await spend()).to.equal(503);
      expect((await readiness()).status).to.equal(503);
      await until('it is told', () => linesWith(/"engine":"log"/).length > 0);
      expect(await spend()).to.equal(503);
      // All that it says is there.
      await life.kill();
      const lines = linesWith(/engine cannot be used/).filter((line) => /"engine":"log"/.test(line));
      expect(lines).to.have.lengthOf(1);
      expect(lines[0]).to.match(/was (removed|replaced) while it was open.*put that very file back/);
      expect(linesWith(/^ +at /), 'stacks').to.deep.equal([]);
    });
  }

  it('notices it within a second without a request, and goes on when the very file is back', async () => {
    expect(await spend()).to.match(/^job_/);
    renameSync(file('bourse.db'), file('aside.db'));
    await until('it is told', () => linesWith(/was removed while it was open/).length > 0);
    expect(await spend()).to.equal(503);
    renameSync(file('aside.db'), file('bourse.db'));
    await isReady();
    expect(await spend()).to.match(/^job_/);
  });

  it('says once that the file beside its log cannot be written, and takes spends meanwhile', async () => {
    await life.stop();
    rmSync(file('bourse.db-head'));
    mkdirSync(file('bourse.db-head'));
    await begin();
    const notes = (): string[] => linesWith(/"engine":"bourse\.db-head"/);
    expect(await spend()).to.match(/^job_/);
    expect(await spend()).to.match(/^job_/);
    await until('it is told', () => notes().length > 0);
    await life.stop();
    expect(notes()).to.have.lengthOf(1);
    expect(notes()[0]).to.match(/"level":"warn".*EISDIR.*engine cannot be used/);
  });

  it('loses no acknowledged spend when the write-ahead log alone is removed', async () => {
    const before = await spend();
    rmSync(file('bourse.db-wal'));
    expect(await spend()).to.equal(503);
    expect((await readiness()).status).to.equal(503);
    await life.kill();
    await begin();
    expect((await ask(`/v1/jobs/${before}`)).status).to.equal(200);
  });

  it('serves no views that nobody feeds once their file is removed, and builds them anew at the next start', async () => {
    const before = await spend();
    rmSync(file('views.db'));
    await until('it is noticed', async () => (await ask(`/v1/jobs/${before}`)).status === 503);
    expect((await readiness()).status).to.equal(503);
    await until('it is told', () => linesWith(/"engine":"views".*was removed/).length > 0);
    await life.kill();
    expect(linesWith(/"engine":"views".*was removed/)).to.have.lengthOf(1);
    for (const left of ['views.db-wal', 'views.db-shm']) rmSync(file(left), { force: true });
    await begin();
    expect((await ask(`/v1/jobs/${before}`)).status).to.equal(200);
  });

  it('is degraded without the file of its queue, or of its signing secret', async () => {
    renameSync(file('queue.db'), file('queue.aside'));
    await until('it is degraded', async () => (await readiness()).text.includes('"status":"degraded"'));
    renameSync(file('queue.aside'), file('queue.db'));
    await isReady();
    renameSync(file('signing-secret'), file('secret.aside'));
    await until('it is degraded', async () => (await readiness()).text.includes('"status":"degraded"'));
    await until('it is told', () => linesWith(/signing-secret was removed or changed/).length > 0);
    renameSync(file('secret.aside'), file('signing-secret'));
    await isReady();
    await life.kill();
    expect(linesWith(/signing-secret was removed or changed/)).to.have.lengthOf(1);
  });

  for (const name of ['bourse.db', 'views.db']) {
    it(`is not ready while another program keeps ${name} locked, and ready again by itself`, async () => {
      const other = new Database(file(name));
      other.exec('BEGIN EXCLUSIVE');
      await until('it is noticed', async () => (await readiness()).status === 503);
      other.exec('COMMIT');
      other.close();
      await isReady();
      expect(await spend()).to.match(/^job_/);
    });
  }

  it('is not ready once its log is damaged, before anybody has asked for anything', async () => {
    await until('all of it is in the file', () => statSync(file('bourse.db-wal')).size === 0);
    await isReady();
    overwrite('bourse.db', Buffer.alloc(statSync(file('bourse.db')).size, NO_PAGE));
    await isToldOfLog(
      /it is damaged: stop, keep a copy of all its files, and see what `bourse log check` says/,
    );
    expect(linesWith(/"operation"/), 'requests that failed first').to.deep.equal([]);
    expect((await readiness()).status).to.equal(503);
    expect(await spend()).to.equal(503);
  });

  defineUnless(whyNotImmutable(), 'A server whose folder becomes read-only', () => {
    it('is not ready when its folder becomes read-only, before anybody has tried to write, and ready again by itself', async () => {
      const before = await spend();
      // Not the -shm: it is mapped, and a mapped page that may not be written ends the process.
      const taken = [dataDir, file('bourse.db'), file('bourse.db-wal')];
      try {
        setImmutable('+i', taken);
        await isToldOfLog(/its disk fails or takes no more|it is read-only: make the file, its folder/);
        expect((await readiness()).status).to.equal(503);
        expect(await spend()).to.equal(503);
        expect((await ask(`/v1/jobs/${before}`)).status).to.equal(200);
      } finally {
        setImmutable('-i', taken);
      }
      await isReady();
      expect(await spend()).to.match(/^job_/);
    });
  });

  defineUnless(whyNoMount(), 'A server on a full disk', () => {
    it('is not ready on a full disk before anybody has tried to write, and ready again when there is room', async () => {
      await life.stop();
      dataDir = folder.file('small');
      mkdirSync(dataDir);
      expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', dataDir]).status).to.equal(0);
      try {
        await prepare();
        const before = await spend();
        fill(file('filler'));
        await until('it is noticed', async () => (await readiness()).status === 503);
        await until('it is told', () => linesWith(/"engine":"log".*make room/).length > 0);
        // What is left may take a short one; a long one it cannot.
        expect(await spend('x'.repeat(8_000))).to.be.oneOf([503]);
        expect((await ask(`/v1/jobs/${before}`)).status).to.equal(200);
        rmSync(file('filler'));
        await isReady();
        expect(await spend()).to.match(/^job_/);
      } finally {
        await life.kill();
        spawnSync('umount', ['--lazy', dataDir]);
      }
    });
  });
});

function fill(path: string): void {
  const { bavail, bsize } = statfsSync(path.slice(0, path.lastIndexOf('/')));
  try {
    writeFileSync(path, Buffer.alloc(bavail * bsize));
  } catch {
    // To the very last block.
  }
  expect(existsSync(path)).to.equal(true);
}

function whyNoMount(): string | null {
  const place = '/proc/self/mounts';
  const { status } = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
  return status === 0 && existsSync(place) ? null : 'this machine lets nobody mount a file system';
}
