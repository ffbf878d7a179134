/** `bourse migrate` as it is typed, between two embedded logs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { type EventStore, NO_STREAM } from '../../events/event-store.ts';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { append } from '../support/event-log.ts';
import { newEvent, newEvents, newStream } from '../support/new-event.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { BOURSE } from '../support/shipped-program.ts';
import { contentOf, fill } from '../migrating/logs.ts';

describe('bourse migrate', () => {
  let folder: TempFolder;
  let from: string;
  let to: string;

  beforeEach(async () => {
    folder = await tempFolder();
    [from, to] = [folder.file('from'), folder.file('to')];
    await mkdir(from);
  });
  afterEach(() => folder.remove());

  const withLog = async <Result>(dataDir: string, work: (events: EventStore) => Promise<Result>) => {
    const { store, close } = await openSqliteLog({ path: `${dataDir}/bourse.db` });
    try {
      return await work(store);
    } finally {
      await close();
    }
  };
  const content = (dataDir: string) => withLog(dataDir, (events) => contentOf({ events }));
  const start = (...args: string[]): ChildProcess =>
    spawn(process.execPath, [BOURSE, 'migrate', ...args], {
      env: { ...process.env, DATA_DIR: from },
    });
  const ended = async (child: ChildProcess) => {
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code]: unknown[] = await once(child, 'close');
    return { code, stdout, stderr };
  };
  const migrate = (...args: string[]) => ended(start(...args));
  /** As many as take a second to copy. */
  const fillLong = (events: EventStore) =>
    Promise.all(Array.from({ length: 6_000 }, () => append(events, newStream(), NO_STREAM, [newEvent()])));
  /** Looks without opening the log as a program does: setting it up again and again would keep the command from it. */
  const someAreThere = (): boolean => {
    const path = `${to}/bourse.db`;
    if (!existsSync(path)) return false;
    const db = new Database(path, { readonly: true });
    try {
      return db.prepare('SELECT 1 FROM events LIMIT 1').get() !== undefined;
    } finally {
      db.close();
    }
  };
  /** The command is a process that has to start first. */
  const untilSomeAreThere = () =>
    until(
      'some events are copied',
      () =>
        Promise.resolve()
          .then(someAreThere)
          .catch(() => false),
      40_000,
    );

  it('moves the log that the settings choose, and says what it has compared', async () => {
    await withLog(from, fill);
    const { code, stdout } = await migrate('--to', `sqlite:${to}`);

    expect(code).to.equal(0);
    expect(await content(to)).to.deep.equal(await content(from));
    expect(stdout).to.match(/^250 events are in .*to\/bourse\.db, 250 of them copied now\./);
    const [source, target] = [...stdout.matchAll(/SHA-256 of the \w+ (\w{64})/g)].map(([, digest]) => digest);
    expect(target).to.be.a('string').that.equals(source);
  });

  it('takes a log home into the log that the settings choose', async () => {
    await mkdir(to);
    await withLog(to, fill);
    const { code, stdout } = await migrate('--from', `sqlite:${to}`, '--json');

    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.include({
      outcome: 'migrated',
      events: 250,
      copied: 250,
      newer: 0,
      problem: null,
    });
    expect(await content(from)).to.deep.equal(await content(to));
  });

  it('takes the places of the reactions along', async () => {
    const name = 'when-job-changed-notify';
    const log = await openSqliteLog({ path: `${from}/bourse.db` });
    await fill(log.store);
    await log.checkpoints.set(name, '0000000000000042');
    await log.close();
    const { stdout } = await migrate('--to', `sqlite:${to}`);

    expect(stdout).to.contain(`${name} goes on after 0000000000000042`);
    const there = await openSqliteLog({ path: `${to}/bourse.db` });
    expect(await there.checkpoints.get(name)).to.equal('0000000000000042');
    await there.close();
  });

  it('goes on where it was when it is killed', async () => {
    await withLog(from, fillLong);
    const killed = start('--to', `sqlite:${to}`);
    await untilSomeAreThere();
    killed.kill('SIGKILL');
    await ended(killed);
    const { length } = await content(to);
    const { code, stdout } = await migrate('--to', `sqlite:${to}`, '--json');

    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ events: 6_000, copied: 6_000 - length });
    expect(await content(to)).to.deep.equal(await content(from));
  });

  it('stops in good order when it is told to, and says how to go on', async () => {
    await withLog(from, fillLong);
    const child = start('--to', `sqlite:${to}`);
    const end = ended(child);
    await untilSomeAreThere();
    child.kill('SIGINT');
    const { code, stderr } = await end;

    expect(code).to.equal(130);
    expect(stderr).to.match(/bourse: stopped; \d+ events were copied\. .* the same command again goes on/);
    expect((await migrate('--to', `sqlite:${to}`)).code).to.equal(0);
  });

  it('does not call it done while events come into the source', async () => {
    await withLog(from, fillLong);
    const migration = migrate('--to', `sqlite:${to}`);
    let isOver = false;
    void migration.finally(() => (isOver = true));
    await withLog(from, async (events) => {
      while (!isOver) await append(events, newStream(), NO_STREAM, newEvents(1));
    });
    const { code, stderr } = await migration;

    expect(stderr).to.match(/bourse: \d+ events came into the source meanwhile: stop the service/);
    expect(code).to.equal(3);
    expect((await migrate('--to', `sqlite:${to}`)).code).to.equal(0);
  });

  describe('refuses', () => {
    it('a target that holds something else', async () => {
      await withLog(from, fill);
      await mkdir(to);
      await withLog(to, (events) => append(events, 'stranger', NO_STREAM, newEvents(1)));
      const { code, stdout } = await migrate('--to', `sqlite:${to}`, '--json');

      expect(code).to.equal(3);
      const { outcome, problem } = JSON.parse(stdout);
      expect(outcome).to.equal('refused');
      expect(problem).to.match(
        /^the target holds another log, and nothing was written: event 1 of the source is evt_/,
      );
      expect(await content(to)).to.have.length(1);
    });

    it('a source without any event, which another prefix would be', async () => {
      await withLog(from, async () => {});
      const { code, stderr } = await migrate('--to', `sqlite:${to}`);

      expect(code).to.equal(3);
      expect(stderr).to.match(/^bourse: there is no event in .*from\/bourse.db$/m);
    });

    for (const [what, args, code, line] of [
      ['the same place twice', [], 2, /^bourse: --from and --to are the same place/],
      [
        'a source without a log',
        ['--from', 'sqlite:/nowhere'],
        3,
        /^bourse: there is no log at \/nowhere\/bourse.db$/m,
      ],
      [
        'a place of no kind',
        ['--to', 'esdb:/admin:changeit@host'],
        2,
        /^bourse: --to and --from must be sqlite:/,
      ],
      [
        'one EventStoreDB for another',
        ['--from', 'esdb://one', '--to', 'esdb://other'],
        3,
        /^bourse: from one EventStoreDB to another its own backup is the way/,
      ],
    ] as const) {
      it(what, async () => {
        const refused = await migrate(...args);
        expect(refused.code).to.equal(code);
        expect(refused.stderr).to.match(line).and.not.contain('changeit');
      });
    }
  });
});
