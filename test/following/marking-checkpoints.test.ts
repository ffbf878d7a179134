/** A queue that was set back, as by an older copy of its file, is given once more what it has forgotten. */
import { copyFileSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { openSqliteLog, type SqliteLog } from '../../infra/sqlite/event-store.ts';
import { openSqliteQueue, type SqliteQueue } from '../../infra/sqlite/queue.ts';
import { type Reaction, startReactor } from '../../src/background/reactor.ts';
import { type CommandRunner, createCommandRunner } from '../../src/commanding/command-runner.ts';
import { markingCheckpoints, type QueueBehind } from '../../src/following/marking-checkpoints.ts';
import { parseQueueMark } from '../../src/ports/queue.ts';
import { rejectionOf } from '../support/rejection.ts';
import { grantNew, spendOf, tell } from '../support/run-commands.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const FILLING = 'when-mandate-spent-add-a-task';
const OTHER = 'when-mandate-spent-take-note';
const KIND = 'told';
const LONG_MS = 60_000;

describe('A queue and the reactions that fill it', function () {
  this.timeout(120_000);
  let folder: TempFolder;
  let log: SqliteLog;
  let sqlite: SqliteQueue;
  let behind: QueueBehind[];
  let noted: string[];
  let happened: string[];
  let runner: CommandRunner;
  let mandateId: string;
  beforeEach(async () => {
    folder = await tempFolder();
    log = await openSqliteLog({ path: folder.file('bourse.db') });
    [behind, noted, happened] = [[], [], []];
    runner = createCommandRunner(log.store);
    mandateId = await grantNew(runner);
    sqlite = openSqliteQueue(folder.file('queue.db'));
  });
  afterEach(async () => {
    await sqlite.close();
    await log.close();
    await folder.remove();
  });

  async function happen(): Promise<void> {
    const outcome = await tell(runner, mandateId, spendOf(1));
    if (outcome.kind !== 'accepted') throw new Error('the spend was not accepted');
    happened.push(...outcome.events.map(({ id }) => id));
  }
  const marking = (at = log.store.marks.at, filling: readonly string[] = [FILLING]) =>
    markingCheckpoints(log.checkpoints, {
      events: { ...log.store, marks: { ...log.store.marks, at } },
      queue: sqlite.queue,
      filling,
      onBehind: (found) => behind.push(found),
    });
  /** As a process does it, until both reactions have taken in all that has happened. */
  async function react(): Promise<void> {
    const types: Reaction['types'] = ['MandateSpent'];
    const reactions: readonly Reaction[] = [
      {
        name: FILLING,
        types,
        fillsQueue: true,
        react: ({ id }) => sqlite.queue.add([{ id, name: KIND, payload: '', dueAtMs: 0 }]),
      },
      { name: OTHER, types, react: async ({ id }) => void noted.push(id) },
    ];
    const reactor = startReactor({
      events: log.store,
      checkpoints: marking(),
      reactions,
      isSkipped: async () => false,
      onError: (name, error) => behind.push({ reactions: [name], checkpoint: String(error), mark: '' }),
    });
    const head = await log.store.head();
    await until('all is taken in', () =>
      reactor.status().every(({ checkpoint }) => checkpoint !== null && checkpoint === head),
    );
    await reactor.stop();
  }
  async function tasks(): Promise<readonly string[]> {
    const claimed = await sqlite.queue.claim(KIND, 100, LONG_MS);
    return claimed.map(({ id }) => id);
  }
  /** As an operator does it: the file is put in place, and what was beside the other one is removed. */
  async function setBack(copy: string): Promise<void> {
    await sqlite.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(folder.file(`queue.db${suffix}`), { force: true });
    copyFileSync(copy, folder.file('queue.db'));
    sqlite = openSqliteQueue(folder.file('queue.db'));
  }

  it('agree as long as the queue is the one that was filled', async () => {
    await happen();
    await react();
    await happen();
    await react();
    expect(behind).to.deep.equal([]);
    expect(await tasks()).to.have.members(happened);
    expect(noted).to.deep.equal(happened);
  });

  it('give an older queue once more what it has forgotten, and tell of it', async () => {
    await happen();
    await react();
    const older = folder.file('older');
    await sqlite.close();
    copyFileSync(folder.file('queue.db'), older);
    sqlite = openSqliteQueue(folder.file('queue.db'));
    const mark = await log.store.head();
    await happen();
    await happen();
    await react();
    const checkpoint = await log.store.head();

    await setBack(older);
    await react();
    expect(behind).to.deep.equal([{ reactions: [FILLING], checkpoint, mark }]);
    expect(await tasks()).to.have.members(happened);
    // What is not kept in the queue is not done again.
    expect(noted).to.deep.equal(happened);
    await react();
    expect(behind).to.have.lengthOf(1);
  });

  it('begin nothing anew with an empty queue', async () => {
    await happen();
    await react();
    const empty = folder.file('empty.db');
    const other = openSqliteQueue(empty);
    await other.queue.nextDueAtMs(KIND);
    await other.close();
    await setBack(empty);
    await happen();
    await react();
    expect(await tasks()).to.deep.equal(happened.slice(1));
    expect(behind).to.deep.equal([]);
  });

  it('are told of in one line where several are ahead, and go back together', async () => {
    await happen();
    await react();
    const mark = (await log.store.head()) ?? '';
    await happen();
    const between = (await log.store.head()) ?? '';
    await happen();
    const head = (await log.store.head()) ?? '';
    const ahead = { 'when-one': between, 'when-two': head };
    for (const [name, checkpoint] of Object.entries(ahead)) await log.checkpoints.set(name, checkpoint);
    const names = Object.keys(ahead);
    const checkpoints = marking(log.store.marks.at, [FILLING, ...names]);
    expect(await Promise.all(names.map((name) => checkpoints.get(name)))).to.deep.equal([mark, mark]);
    expect(behind).to.deep.equal([{ reactions: names, checkpoint: head, mark }]);
  });

  it('go back before anybody marks more, also where the process dies then', async () => {
    await happen();
    await react();
    const mark = (await log.store.head()) ?? '';
    await happen();
    const head = (await log.store.head()) ?? '';
    for (const name of [FILLING, OTHER]) await log.checkpoints.set(name, head);

    const first = marking();
    await first.set(OTHER, head);
    expect((await sqlite.queue.mark())?.reached).to.equal(head);
    expect(await first.get(FILLING)).to.equal(mark);
    expect(await log.checkpoints.get(FILLING)).to.equal(mark);
    expect(await marking().get(FILLING)).to.equal(mark);
  });

  it('never mark less than was marked', async () => {
    await happen();
    const before = (await log.store.head()) ?? '';
    await happen();
    const after = (await log.store.head()) ?? '';
    await marking().set(OTHER, after);
    await marking().set(OTHER, before);
    expect((await sqlite.queue.mark())?.reached).to.equal(after);
  });

  it('never mark less than was marked, also where two are kept at once', async () => {
    await happen();
    const before = (await log.store.head()) ?? '';
    await happen();
    const after = (await log.store.head()) ?? '';
    const { at } = log.store.marks;
    const checkpoints = marking(async (position) => {
      if (position === before) await delay(50);
      return at(position);
    });
    await Promise.all([before, after].map((position) => checkpoints.set(OTHER, position)));
    expect((await sqlite.queue.mark())?.reached).to.equal(after);
  });

  it('agree where the log had only an earlier event at hand, or none', async () => {
    await happen();
    const before = await log.store.marks.at((await log.store.head()) ?? '');
    for (const atHand of [before, null]) {
      await happen();
      const head = (await log.store.head()) ?? '';
      await marking(async () => atHand).set(FILLING, head);
      expect(await sqlite.queue.mark()).to.deep.equal({ mark: before, reached: head });
      expect(await marking().get(FILLING)).to.equal(head);
    }
    expect(behind).to.deep.equal([]);
  });

  it('know a mark as it was kept before the queue knew how far the log was read', async () => {
    await happen();
    const mark = await log.store.marks.at((await log.store.head()) ?? '');
    expect(parseQueueMark(JSON.stringify(mark))).to.deep.equal({ mark, reached: mark?.position });
  });

  it('wait for a queue that cannot be asked, and the other reactions do not', async () => {
    await happen();
    const head = (await log.store.head()) ?? '';
    for (const name of [FILLING, OTHER]) await log.checkpoints.set(name, head);
    await sqlite.close();
    const checkpoints = marking();
    expect(await checkpoints.get(OTHER)).to.equal(head);
    await checkpoints.set(OTHER, head);
    expect(String(await rejectionOf(checkpoints.get(FILLING)))).to.match(/QueueUnavailable/);
    // It would be ahead of what the queue knows.
    await happen();
    const later = (await log.store.head()) ?? '';
    expect(String(await rejectionOf(checkpoints.set(FILLING, later)))).to.match(/QueueUnavailable/);
    expect(await log.checkpoints.get(FILLING)).to.equal(head);
    sqlite = openSqliteQueue(folder.file('queue.db'));
  });
});
