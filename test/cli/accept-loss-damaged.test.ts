/** `bourse log accept-loss` over a log that is damaged itself: refused with what was found, before anything is written. */
import { spawnSync } from 'node:child_process';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { EXIT } from '../../src/cli/exit.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { grantNew, spendOf, tell } from '../support/run-commands.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { BOURSE } from '../support/shipped-program.ts';

describe('bourse log accept-loss on a damaged log', () => {
  let folder: TempFolder;
  before(async () => {
    folder = await tempFolder();
    const { store, close } = await openSqliteLog({ path: folder.file('bourse.db') });
    const runner = createCommandRunner(store);
    const mandateId = await grantNew(runner, { maxMonthlyCents: 1_000_000 });
    for (let count = 0; count < 8; count += 1) await tell(runner, mandateId, spendOf(100));
    await close();
    // Whoever was told of the last one knows that it is missing: bourse.db-head.
    change('DROP TRIGGER events_are_not_changed; DROP TRIGGER events_are_not_deleted');
    change('DELETE FROM events WHERE position = 9');
  });
  after(() => folder.remove());

  function change(sql: string): void {
    const db = new Database(folder.file('bourse.db'));
    try {
      db.exec(sql);
    } finally {
      db.close();
    }
  }
  const accept = (...args: string[]) => {
    const command = ['log', 'accept-loss', '--reason', 'A bad disk.', ...args];
    return spawnSync(process.execPath, [BOURSE, ...command], {
      env: { ...process.env, DATA_DIR: folder.path },
      encoding: 'utf8',
    });
  };
  const written = (): readonly unknown[] => {
    const db = new Database(folder.file('bourse.db'), { readonly: true });
    const rows = db.prepare('SELECT count(*) AS events FROM events').all();
    const places = db.prepare('SELECT * FROM checkpoints').all();
    db.close();
    return [...rows, ...places];
  };

  const DAMAGES = [
    [`data = '{"half'`, /0{15}4: the event at 0{15}4 \(mandate-\w+@3\) is damaged/],
    [
      `data = replace(data, '"amountCents":100', '"amountCents":200')`,
      /0{15}4 \(mandate-\w+@3, evt_\w+\): its id/,
    ],
  ] as const;
  for (const [damage, found] of DAMAGES) {
    it(`is refused: ${damage}`, () => {
      change('CREATE TABLE whole AS SELECT * FROM events WHERE position = 4');
      change(`UPDATE events SET ${damage} WHERE position = 4`);
      const before = written();
      for (const yes of [[], ['--yes']]) {
        const { status, stderr } = accept(...yes);
        const last = stderr.trim().split('\n').at(-1);
        expect(last)
          .to.match(/^bourse: nothing was done: as `bourse log check` says/)
          .and.match(found);
        expect(stderr, 'a stack').not.to.match(/^ +at /m);
        expect(status).to.equal(EXIT.unavailable);
      }
      expect(written()).to.deep.equal(before);
      change('UPDATE events SET data = (SELECT data FROM whole) WHERE position = 4; DROP TABLE whole');
    });
  }

  it('is taken as it is with --damaged, as long as all of it can be read', () => {
    change('CREATE TABLE whole AS SELECT * FROM events WHERE position = 4');
    change(`UPDATE events SET data = '{"half' WHERE position = 4`);
    const unreadable = accept('--damaged', '--yes');
    expect([unreadable.status, unreadable.stderr]).to.deep.include(EXIT.unavailable);
    change('UPDATE events SET data = (SELECT data FROM whole) WHERE position = 4');
    change(
      `UPDATE events SET data = replace(data, '"amountCents":100', '"amountCents":200') WHERE position = 4`,
    );
    const { status, stderr } = accept('--damaged');
    expect(stderr)
      .to.match(/is damaged, and is taken as it is: .*its id/)
      .and.match(/the same with --yes/);
    expect(status).to.equal(EXIT.refused);
    change('UPDATE events SET data = (SELECT data FROM whole) WHERE position = 4; DROP TABLE whole');
  });

  it('is accepted once the log is sound', () => {
    const { status, stdout, stderr } = accept('--yes');
    expect(status, stderr).to.equal(EXIT.ok);
    expect(stdout).to.match(/^Accepted/);
  });
});
