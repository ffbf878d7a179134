/** The identity of the embedded log, its running digest, and the file beside it that is never behind. */
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { NO_STREAM } from '../../../events/event-store.ts';
import { openSqliteLog, type SqliteLog } from '../../../infra/sqlite/event-store.ts';
import { inspectLog } from '../../../infra/sqlite/log-inspection.ts';
import { DIGEST_EVERY_EVENTS } from '../../../infra/sqlite/log-marks.ts';
import { newEvent, newEvents, newStream } from '../../support/new-event.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';
import { until } from '../../support/until.ts';

describe('What the embedded log knows of itself', () => {
  let folder: TempFolder;
  let path: string;
  let log: SqliteLog;
  let told: (string | null)[];
  beforeEach(async () => {
    folder = await tempFolder();
    path = folder.file('log.db');
    told = [];
    log = await openSqliteLog({ path, onWitness: (message) => told.push(message) });
  });
  afterEach(async () => {
    await log.close();
    await folder.remove();
  });

  async function anew(change: () => void = () => {}): Promise<void> {
    await log.close();
    change();
    log = await openSqliteLog({ path });
  }
  async function write(count: number): Promise<string> {
    let position = '';
    for (let left = count; left > 0; left -= 512) {
      const events = newEvents(Math.min(left, 512));
      const result = await log.store.append(newStream(), NO_STREAM, events);
      if (result.ok) ({ position } = result);
    }
    return position;
  }
  const change = (sql: string) => (): void => {
    const db = new Database(path);
    db.exec(sql);
    db.close();
  };
  async function findings(): Promise<string[]> {
    const found: string[] = [];
    for await (const step of log.inspect())
      found.push(...step.findings.map(({ place, problem }) => `${place}: ${problem}`));
    return found;
  }

  it('has an identity that stays, and another log has another', async () => {
    const logId = log.store.marks.logId();
    await anew();
    expect(log.store.marks.logId()).to.equal(logId);
    const other = await openSqliteLog({ path: folder.file('other.db') });
    expect(other.store.marks.logId()).not.to.equal(logId);
    await other.close();
  });

  it('keeps a digest every so many events, the same wherever its groups began and ended', async () => {
    await write(2 * DIGEST_EVERY_EVENTS + 100);
    const mark = await log.store.marks.at((await log.store.head()) ?? '');
    expect(Number(mark?.digest?.position)).to.equal(2 * DIGEST_EVERY_EVENTS);
    expect(await log.store.marks.digestAt(mark?.digest?.position ?? '')).to.equal(mark?.digest?.sha256);
    expect(await findings()).to.deep.equal([]);
  });

  it('is inspected to its end, also where it is longer than the last digest says', async () => {
    const end = DIGEST_EVERY_EVENTS + 100;
    await write(end);
    const places: unknown[] = [];
    for await (const { phase, done, total } of log.inspect())
      if (phase === 'digests') places.push([done, total]);
    expect(places).to.deep.equal([
      [DIGEST_EVERY_EVENTS, end],
      [end, end],
    ]);
  });

  it('takes up a log that knew none of this, with digests from where it ends', async () => {
    await write(1_500);
    await anew(change('DROP TABLE identity; DROP TABLE digests'));
    const known = await log.store.marks.at((await log.store.head()) ?? '');
    expect(Number(known?.digest?.position)).to.equal(1_500);
    await write(600);
    const later = await log.store.marks.at((await log.store.head()) ?? '');
    expect(Number(later?.digest?.position)).to.equal(2 * DIGEST_EVERY_EVENTS);
    expect(await findings()).to.deep.equal([]);
  });

  it('is inspected where it knew none of this and cannot be written to', async () => {
    await write(3);
    await log.close();
    change('DROP TABLE identity; DROP TABLE digests')();
    const db = new Database(path, { readonly: true });
    const phases = [];
    for await (const step of inspectLog(db)) phases.push([step.phase, step.findings]);
    expect(phases).to.deep.equal([
      ['streams', []],
      ['ids', []],
    ]);
    db.close();
    log = await openSqliteLog({ path });
  });

  it('makes up for the digests of events that an older program appended', async () => {
    await write(100);
    const [{ digest } = { digest: null }] = [(await log.store.marks.at('0000000000000100')) ?? undefined];
    await write(3 * DIGEST_EVERY_EVENTS);
    await anew(change(`DELETE FROM digests WHERE position > ${Number(digest?.position)}`));
    await write(1);
    const mark = await log.store.marks.at((await log.store.head()) ?? '');
    expect(Number(mark?.digest?.position)).to.equal(3 * DIGEST_EVERY_EVENTS);
    expect(await findings()).to.deep.equal([]);
  });

  it('finds by its digests that an event is not the one that was written', async () => {
    await write(DIGEST_EVERY_EVENTS);
    await anew(
      change(`DROP TRIGGER events_are_not_changed;
        UPDATE events SET event_id = 'evt_00000000000000000000000000' WHERE position = 77`),
    );
    expect((await findings()).join('\n')).to.match(
      /^0{12}1024: the running digest is not that of the events after 0{16}/m,
    );
  });

  it('says beside the log where it ended when somebody was last told, and nothing once that is damaged', async () => {
    expect(log.witness()).to.equal(null);
    const event = newEvent();
    await log.store.append(newStream(), NO_STREAM, [event]);
    expect(log.witness()).to.deep.include({ logId: log.store.marks.logId(), eventId: event.id });
    await anew();
    expect(log.witness()).to.deep.include({ eventId: event.id });
    const bytes = readFileSync(`${path}-head`);
    bytes[40] = 0x20;
    writeFileSync(`${path}-head`, bytes);
    expect(log.witness()).to.equal(null);
  });

  it('takes writes where the file beside it cannot be opened or written, and says so once until it can', async () => {
    mkdirSync(`${path}-head`);
    expect(await write(3)).to.equal('0000000000000003');
    await write(1);
    expect(log.witness()).to.equal(null);
    rmdirSync(`${path}-head`);
    // Opened well, and full at the first byte.
    symlinkSync('/dev/full', `${path}-head`);
    await write(1);
    await write(1);
    rmSync(`${path}-head`);
    await write(1);
    await write(1);
    expect(log.witness()?.position).to.equal('0000000000000008');
    const [first, second, ...more] = told;
    expect(first).to.match(/^EISDIR: .*log\.db-head/);
    expect(second).to.match(/^ENOSPC: /);
    expect(more).to.deep.equal([null]);
  });

  for (const [what, change] of [
    ['removed', (file: string) => rmSync(file)],
    ['replaced by an older copy', (file: string) => renameSync(`${file}-older`, file)],
  ] as const) {
    it(`writes the file beside it anew where that is ${what} while the log is open`, async () => {
      await write(1);
      copyFileSync(`${path}-head`, `${path}-head-older`);
      await write(1);
      change(`${path}-head`);
      await until('it is there again', () => log.witness()?.position === '0000000000000002');
      await write(1);
      expect(log.witness()?.position).to.equal('0000000000000003');
      expect(told).to.deep.equal([]);
    });
  }

  it('takes on the identity of the log that it is a copy of, its file beside it too', async () => {
    await write(3);
    await log.store.marks.adopt('another');
    expect(log.store.marks.logId()).to.equal('another');
    expect(log.witness()?.logId).to.equal('another');
    await write(DIGEST_EVERY_EVENTS);
    expect(await findings()).to.deep.equal([]);
  });
});
