/** `bourse log check` on a log that holds, and on logs that were damaged in one place each: named, and no stack. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { EXIT } from '../../src/cli/exit.ts';
import { grantNew, spendOf, tell } from '../support/run-commands.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { BOURSE } from '../support/shipped-program.ts';

describe('bourse log check', () => {
  let folder: TempFolder;
  let mandateId: string;
  beforeEach(async () => {
    folder = await tempFolder();
    const { store, close } = await openSqliteLog({ path: folder.file('bourse.db') });
    const runner = createCommandRunner(store);
    mandateId = await grantNew(runner, { maxMonthlyCents: 1_000_000 });
    for (let count = 0; count < 60; count += 1) await tell(runner, mandateId, spendOf(100));
    await close();
  });
  afterEach(() => folder.remove());

  const cli = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [BOURSE, ...args], {
      env: { ...process.env, DATA_DIR: folder.path },
      encoding: 'utf8',
    });
    expect(stderr + stdout, 'a stack').not.to.match(/^ +at /m);
    return { status, stdout, stderr };
  };
  /** As somebody does who goes round the triggers. */
  const tamper = (sql: string): void => {
    const db = new Database(folder.file('bourse.db'));
    db.exec('DROP TRIGGER events_are_not_changed; DROP TRIGGER events_are_not_deleted');
    db.exec(sql);
    db.close();
  };

  it('says that all holds, with how much it has read', () => {
    const { status, stdout } = cli('log', 'check', '--json');
    expect(status).to.equal(EXIT.ok);
    expect(JSON.parse(stdout)).to.deep.include({ holds: true, events: 61, mandates: 1, findings: [] });
  });

  it('changes nothing of a log, also of one that an older program left, and makes none', () => {
    const db = new Database(folder.file('bourse.db'));
    db.exec('DROP TABLE identity; DROP TABLE digests');
    db.close();
    const before = readFileSync(folder.file('bourse.db'));
    expect(cli('log', 'check').status).to.equal(EXIT.ok);
    expect(readFileSync(folder.file('bourse.db')).equals(before)).to.equal(true);

    for (const name of readdirSync(folder.path)) rmSync(folder.file(name));
    const { status, stderr } = cli('log', 'check');
    expect(status).to.equal(EXIT.unavailable);
    expect(stderr).to.match(/there is no log at .*bourse\.db/);
    expect(readdirSync(folder.path)).to.deep.equal([]);
  });

  it('names the place of what was changed, removed or is no event any more', () => {
    const damages: readonly (readonly [sql: string, found: RegExp, status: number])[] = [
      [
        `UPDATE events SET data = replace(data, '"amountCents":100', '"amountCents":200') WHERE position = 7`,
        /0{15}8 \(mandate-\w+@7, evt_\w+\): its predecessor .*chain/,
        EXIT.refused,
      ],
      [
        `UPDATE events SET meta = replace(meta, '"req-1"', '"req-2"') WHERE position = 61`,
        /0{14}61 \(mandate-\w+@60, evt_\w+\): its id is not that of what it says/,
        EXIT.refused,
      ],
      ['DELETE FROM events WHERE position = 9', /mandate-\w+: revision 8 is missing/, EXIT.refused],
      [`UPDATE events SET data = '{"half' WHERE position = 11`, /^0{14}11: .*are no JSON/m, EXIT.unavailable],
      [
        `UPDATE events SET data = '{}' WHERE position = 13`,
        /0{14}13 \(mandate-.*MandateSpent v\d/,
        EXIT.unavailable,
      ],
    ];
    for (const [sql, found, expected] of damages.slice(0, 1)) {
      tamper(sql);
      const { status, stdout } = cli('log', 'check');
      expect(stdout).to.match(found);
      expect(status, stdout).to.equal(expected);
    }
    const db = new Database(folder.file('bourse.db'));
    for (const [sql] of damages.slice(1)) db.exec(sql);
    db.close();
    const { status, stdout } = cli('log', 'check');
    for (const [, found] of damages) expect(stdout).to.match(found);
    expect(status).to.equal(EXIT.unavailable);
  });

  it('finds pages that are none of SQLite any more, and other commands say it in one line', () => {
    const path = folder.file('bourse.db');
    const pages = readFileSync(path).length / 4_096;
    const file = openSync(path, 'r+');
    for (let page = 3; page < pages; page += 1)
      writeSync(file, Buffer.alloc(4_096, 0xa5), 0, 4_096, page * 4_096);
    closeSync(file);

    const checked = cli('log', 'check');
    expect(checked.status, checked.stdout).to.equal(EXIT.unavailable);
    expect(checked.stdout + checked.stderr).to.match(/damaged/);
    for (const command of [
      ['audit', 'export', '--out', folder.file('out')],
      ['key', 'list'],
      ['projections', 'status'],
    ]) {
      const { status, stderr } = cli(...command);
      expect(status, `${command.join(' ')}: ${stderr}`).to.equal(EXIT.unavailable);
      expect(stderr.trim().split('\n'), stderr).to.have.lengthOf(1);
    }
  });
});
