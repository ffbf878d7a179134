/** What somebody else than the program changed in the stream of a mandate is never decided upon. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import { idFrom } from '../../events/ids.ts';
import { type EventStore, StoreDamaged } from '../../events/event-store.ts';
import { openSqliteLog, type SqliteLog } from '../../infra/sqlite/event-store.ts';
import { type CommandRunner, createCommandRunner } from '../../src/commanding/command-runner.ts';
import { readAll } from '../support/event-log.ts';
import { rejectionOf } from '../support/rejection.ts';
import { grantNew, type MandateOutcome, netCents, spendMany, tell } from '../support/run-commands.ts';
import { AT, spend } from '../support/sample-mandate.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

describe('Events of a mandate that were changed', () => {
  let folder: TempFolder;
  let log: SqliteLog;
  let runner: CommandRunner;
  let mandateId: string;
  before(async () => {
    folder = await tempFolder();
    log = await openSqliteLog({ path: folder.file('bourse.db') });
    // The file of a log that holds something; its schema keeps others from changing events.
    await grantNew(createCommandRunner(log.store));
    change('DROP TRIGGER events_are_not_changed; DROP TRIGGER events_are_not_deleted');
  });
  after(async () => {
    await log.close();
    await folder.remove();
  });
  beforeEach(async () => {
    runner = createCommandRunner(log.store);
    mandateId = await grantNew(runner, { maxMonthlyCents: 100_000 });
  });

  function change(sql: string): void {
    const db = new Database(folder.file('bourse.db'));
    db.exec(sql);
    db.close();
  }
  const flip = (column: 'data' | 'meta' | 'at' | 'event_id', from: string, to: string): void =>
    change(`UPDATE events SET ${column} = replace(${column}, '${from}', '${to}')
      WHERE stream_id = 'mandate-${mandateId}'`);
  const buy = (by: CommandRunner, name: string): Promise<MandateOutcome> =>
    tell(by, mandateId, spend(100, `${mandateId} ${name}`), { commandId: `command ${name}` });
  /** That the command is refused as damaged, at this revision of the stream. */
  const isRefused = async (command: Promise<unknown>, revision: number | null): Promise<void> => {
    const error = await rejectionOf(command);
    expect(error).to.be.instanceOf(StoreDamaged);
    const place = `mandate-${mandateId}${revision === null ? '' : `@${revision},`}`;
    expect(String(error)).to.include(place).and.to.include('bourse log check');
  };
  const anew = (): CommandRunner => createCommandRunner(log.store);
  const eventsOf = (store: EventStore) => readAll(store, `mandate-${mandateId}`);

  it('are found by whoever loads it, so that a repeated command is no second spend', async () => {
    for (const name of ['one', 'two', 'three']) await buy(runner, name);
    flip('meta', 'command two', 'command twp');
    await isRefused(buy(anew(), 'two'), 2);
    await isRefused(buy(anew(), 'four'), 2);
    await isRefused(anew().load(mandateDecider, mandateId, AT), 2);
    expect(await eventsOf(log.store)).to.have.lengthOf(4);
    flip('meta', 'command twp', 'command two');
    expect((await buy(anew(), 'two')).kind).to.equal('replayed');
  });

  it('are found where it is the last event, which nothing was written after', async () => {
    for (const name of ['one', 'two']) await buy(runner, name);
    for (const [column, from, to] of [
      ['meta', 'command two', 'command twp'],
      ['data', '"amountCents":100', '"amountCents":900'],
      ['at', '-11-', '-10-'],
    ] as const) {
      const [, , before] = await eventsOf(log.store);
      change(`UPDATE events SET ${column} = replace(${column}, '${from}', '${to}')
        WHERE event_id = '${before?.id}'`);
      await isRefused(buy(anew(), 'two'), 2);
      change(`UPDATE events SET ${column} = replace(${column}, '${to}', '${from}')
        WHERE event_id = '${before?.id}'`);
    }
    expect((await buy(anew(), 'two')).kind).to.equal('replayed');
  });

  it('are found before the last snapshot, as far back as commands are remembered', async () => {
    await buy(runner, 'one');
    await spendMany(runner, mandateId, 130, 1);
    flip('meta', 'command one', 'command onf');
    await isRefused(buy(anew(), 'one'), 1);
  });

  it('are found by whoever reads on, and by whoever answers a repeated command from memory', async () => {
    const other = anew();
    await buy(other, 'one');
    for (const name of ['two', 'three']) await buy(runner, name);
    flip('meta', 'command two', 'command twp');
    await isRefused(other.load(mandateDecider, mandateId, AT), 2);
    await isRefused(buy(runner, 'two'), 2);
    flip('meta', 'command twp', 'command two');
    expect((await buy(runner, 'two')).kind).to.equal('replayed');
    expect((await buy(other, 'two')).kind).to.equal('replayed');
    flip('data', '"amountCents":100', '"amountCents":200');
    await isRefused(buy(runner, 'two'), 2);
  });

  it('are found where one of them is gone', async () => {
    for (const name of ['one', 'two', 'three']) await buy(runner, name);
    change(`DELETE FROM events WHERE stream_id = 'mandate-${mandateId}' AND revision = 1`);
    await isRefused(buy(anew(), 'four'), null);
  });

  it('are found where its first one is gone, in any stream', async () => {
    await buy(runner, 'one');
    change(`DELETE FROM events WHERE stream_id = 'mandate-${mandateId}' AND revision = 0`);
    await isRefused(buy(anew(), 'two'), null);
    const unchained = { ...mandateDecider, chained: false };
    await isRefused(anew().load(unchained, mandateId, AT), null);
  });

  it('are found where one names no command any more, in any stream', async () => {
    const unchained = { ...mandateDecider, chained: false };
    const other = anew();
    await other.load(unchained, mandateId, AT);
    await buy(runner, 'one');
    flip('meta', '"commandId"', '"commandIe"');
    await isRefused(anew().load(unchained, mandateId, AT), 1);
    await isRefused(other.load(unchained, mandateId, AT), 1);
  });

  it('are none where an older program made the id', async () => {
    await buy(runner, 'one');
    const [, last] = await eventsOf(log.store);
    if (last === undefined) throw new Error('no spend');
    const { streamId, revision, type, at, data, meta } = last;
    const id = idFrom('event', at, JSON.stringify([streamId, revision, type, data, meta]));
    change(`UPDATE events SET event_id = '${id}' WHERE event_id = '${last.id}'`);
    expect((await buy(anew(), 'one')).kind).to.equal('replayed');
    expect((await buy(anew(), 'two')).kind).to.equal('accepted');
    expect(await netCents(log.store, mandateId)).to.equal(200);
  });
});
