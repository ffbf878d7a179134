/** What the writer of the SQLite log promises when something breaks under it. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { NewEvent } from '../../../events/event.ts';
import { NO_STREAM, OutcomeUnknown, StoreUnavailable } from '../../../events/event-store.ts';
import { openSqliteLog, type SqliteLog } from '../../../infra/sqlite/event-store.ts';
import type { WriterSettings } from '../../../infra/sqlite/log-messages.ts';
import { type StartWorker, startLogWriter } from '../../../infra/sqlite/log-writer.ts';
import { append, eventsOf, idsOf, pagesUntil, readAll } from '../../support/event-log.ts';
import { newEvent, newEvents, newStream } from '../../support/new-event.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';

describe('the writer of the SQLite log', () => {
  let folder: TempFolder;
  let path: string;
  let log: SqliteLog;
  const workers: Worker[] = [];
  let start: StartWorker;

  beforeEach(async () => {
    start = startLogWriter;
    folder = await tempFolder();
    path = folder.file('log.db');
    log = await openSqliteLog({
      path,
      startWorker(settings) {
        const worker = start(settings);
        workers.push(worker);
        return worker;
      },
    });
  });

  afterEach(async () => {
    await log.close();
    await folder.remove();
  });

  const appendAlone = (event: NewEvent = newEvent()) => log.store.append(newStream(), NO_STREAM, [event]);

  it('commits together what arrives together', async () => {
    await Promise.all(Array.from({ length: 100 }, () => appendAlone()));

    expect(log.stats()).to.include({ groups: 1, appends: 100, queueDepth: 0 });
  });

  it('commits what arrives during a commit as the next group', async () => {
    const first = appendAlone();
    await new Promise(setImmediate);
    const others = Array.from({ length: 50 }, () => appendAlone());
    await Promise.all([first, ...others]);

    expect(log.stats()).to.include({ groups: 2, appends: 51 });
  });

  it('commits one full round of appends as one group, in the order they were asked for', async () => {
    const { appends, bytes } = log.together;
    const text = 'x'.repeat(bytes / appends - 150);
    const events = newEvents(appends, { data: { text } });
    expect(JSON.stringify(events).length).to.be.within(0.9 * bytes, 1.2 * bytes);
    await Promise.all(events.map((event) => appendAlone(event)));

    expect(log.stats()).to.include({ groups: 1, appends });
    const pages = await pagesUntil(log.store, { after: null, pageSize: 1_000 }, (_, page) => page.caughtUp);
    expect(idsOf(eventsOf(pages))).to.deep.equal(idsOf(events));
  });

  it('gives each append of a group its own outcome', async () => {
    const stream = newStream();
    const taken = newEvent();
    await append(log.store, newStream(), NO_STREAM, [taken]);
    const [good, stale, broken, alsoGood, checkpoint] = await Promise.allSettled([
      log.store.append(stream, NO_STREAM, newEvents(2)),
      log.store.append(stream, NO_STREAM, newEvents(1)),
      appendAlone(taken),
      log.store.append(stream, 1, newEvents(1)),
      log.checkpoints.set('reactor', '1'),
    ]);

    expect(good).to.have.nested.include({ 'value.ok': true, 'value.revision': 1 });
    expect(stale).to.have.deep.nested.property('value', { ok: false, actualRevision: 1 });
    expect(broken)
      .to.have.nested.property('reason.message')
      .that.matches(/UNIQUE.*event_id/);
    expect(alsoGood).to.have.nested.include({ 'value.ok': true, 'value.revision': 2 });
    expect(checkpoint.status).to.equal('fulfilled');
    expect(await readAll(log.store, stream)).to.have.length(3);
  });

  it('calls an event id that is elsewhere in the log a bug, and writes nothing of that append', async () => {
    const taken = newEvent();
    await appendAlone(taken);
    const stream = newStream();
    const error = await rejectionOf(log.store.append(stream, NO_STREAM, [newEvent(), taken]));

    expect(error).to.be.instanceOf(Error);
    expect(error).to.not.be.instanceOf(StoreUnavailable);
    expect(await readAll(log.store, stream)).to.deep.equal([]);
  });

  it('leaves no gap in the positions, whatever was refused in between', async () => {
    const taken = newEvent();
    const { position: before } = await append(log.store, newStream(), NO_STREAM, [taken]);
    await Promise.allSettled([appendAlone(taken), log.store.append(newStream(), 7, [newEvent()])]);
    const { position: after } = await append(log.store, newStream(), NO_STREAM, [newEvent()]);

    expect(Number(after)).to.equal(Number(before) + 1);
  });

  it('refuses more than it can queue, and goes on with what it has', async () => {
    const appends = Array.from({ length: 10_100 }, () => appendAlone());
    const refused = (await Promise.allSettled(appends)).filter(({ status }) => status === 'rejected');

    expect(refused).to.have.length(100);
    expect(refused[0]).to.have.property('reason').that.is.instanceOf(StoreUnavailable);
    expect(log.stats()).to.include({ appends: 10_000, queueDepth: 0 });
    expect(await appendAlone()).to.include({ ok: true });
  });

  describe('when its worker dies in the middle of a group', () => {
    let lock: Database.Database;
    let death: Promise<unknown>;

    beforeEach(async () => {
      start = (settings) => {
        const worker = startMortalWriter(settings, 'waiting');
        death = once(worker, 'exit');
        return worker;
      };
      await appendAlone();
      start = startLogWriter;
      // Holds the worker up where the test wants it.
      lock = new Database(path);
      lock.exec('BEGIN IMMEDIATE');
    });

    afterEach(() => lock.close());

    const die = async (): Promise<void> => {
      await death;
      lock.exec('COMMIT');
    };

    it('leaves open what became of the group, and the identical append tells', async () => {
      const stream = newStream();
      const events = newEvents(2);
      const lost = rejectionOf(log.store.append(stream, NO_STREAM, events));
      await die();

      expect(await lost).to.be.instanceOf(OutcomeUnknown);
      expect(await log.store.append(stream, NO_STREAM, events)).to.include({ ok: true, revision: 1 });
      expect(idsOf(await readAll(log.store, stream))).to.deep.equal(idsOf(events));
    });

    it('starts another for what was still waiting', async () => {
      const lost = rejectionOf(appendAlone());
      await new Promise(setImmediate);
      const waiting = appendAlone();
      await die();

      expect(await lost).to.be.instanceOf(OutcomeUnknown);
      expect(await waiting).to.include({ ok: true });
    });
  });

  it('starts another worker for the next append when its own died idle', async () => {
    start = (settings) => startMortalWriter(settings, 'told');
    await appendAlone();
    start = startLogWriter;
    const mortal = workers.at(-1)!;
    mortal.postMessage(DEATH);
    await once(mortal, 'exit');

    expect(await appendAlone()).to.include({ ok: true });
    expect(workers.at(-1)).not.to.equal(mortal);
  });

  describe('while another program holds the lock', () => {
    let other: Database.Database;

    beforeEach(async () => {
      // So that the worker is there and meets the lock at once.
      await appendAlone();
      other = new Database(path);
      other.exec('BEGIN IMMEDIATE');
    });

    afterEach(() => other.close());

    it('waits for it without stopping the event loop', async () => {
      const appended = appendAlone();
      // On a stopped event loop this would never run, and the lock never be given back.
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
      other.exec('COMMIT');

      expect(await appended).to.include({ ok: true });
    });

    it('gives up in the end, writes nothing, and tries afresh', async () => {
      const event = newEvent();
      const stream = newStream();
      const error = await rejectionOf(log.store.append(stream, NO_STREAM, [event]));
      other.exec('COMMIT');

      expect(error).to.be.instanceOf(StoreUnavailable);
      expect(await readAll(log.store, stream)).to.deep.equal([]);
      expect(await log.store.append(stream, NO_STREAM, [event])).to.include({ ok: true });
    });
  });

  describe('when the log is closed', () => {
    it('commits first what was accepted', async () => {
      let committed = 0;
      for (let i = 0; i < 3; i += 1) void appendAlone().then(() => (committed += 1));
      await log.close();

      expect(committed).to.equal(3);
    });

    it('refuses what comes later', async () => {
      await log.close();
      const late = [appendAlone(), readAll(log.store, newStream()), log.store.head()];
      for (const asked of late) expect(await rejectionOf(asked)).to.be.instanceOf(StoreUnavailable);
    });

    it('can be closed twice', async () => {
      await appendAlone();
      await Promise.all([log.close(), log.close()]);
      await log.close();
    });
  });
});

const WRITER = fileURLToPath(new URL('../../../infra/sqlite/log-writer-worker.ts', import.meta.url));

const DEATH = 'die';

/**
 * A writer that dies by itself: where another waits for the lock of another program, or when it is told. Terminated from
 * outside it might be inside SQLite's addon at that moment, which aborts the whole process when it cannot throw its error
 * any more.
 */
function startMortalWriter(settings: WriterSettings, dies: 'waiting' | 'told'): Worker {
  const entry = JSON.stringify(WRITER);
  const load = `
    require('node:module').createRequire(${entry})('tsx/cjs/api').register();
    require(${entry});`;
  const scripts = {
    waiting: `${load} Atomics.wait = () => process.exit(1);`,
    // Before the writer, which would take it for work.
    told: `require('node:worker_threads').parentPort.on('message', (message) => {
      if (message === '${DEATH}') process.exit(1);
    }); ${load}`,
  };
  return new Worker(scripts[dies], { eval: true, workerData: settings });
}
