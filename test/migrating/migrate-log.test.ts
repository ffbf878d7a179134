import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { canonicalJson } from '../../events/canonical-json.ts';
import type { RecordedEvent } from '../../events/event.ts';
import { type EventStore, MAX_APPEND_EVENTS, NO_STREAM, StoreUnavailable } from '../../events/event-store.ts';
import { memoryEventStore } from '../../infra/memory/event-store.ts';
import { describeDifference } from '../../src/migrating/event-difference.ts';
import type { MigrationProgress } from '../../src/migrating/migrate-log.ts';
import { assertFinished } from '../../src/migrating/unfinished-copy.ts';
import { append } from '../support/event-log.ts';
import { type Fault, faultyEventStore } from '../support/faulty-event-store.ts';
import { eventStoreDbKinds, sayIfNoEventStoreDb } from '../support/eventstoredb-logs.ts';
import { newEvent, newEvents, newStream } from '../support/new-event.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';
import {
  allOf,
  contentOf,
  fill,
  memoryLog,
  migrate,
  migrated,
  openLog,
  type LogKind,
  type OpenLog,
} from './logs.ts';

/** Too short, it would let a fault pass, and never fail by itself. */
const LONGER_THAN_A_RETRY_MS = 100;

const WAYS: readonly (readonly [from: LogKind, to: LogKind])[] = [
  ['memory', 'SQLite'],
  ['SQLite', 'memory'],
  ...eventStoreDbKinds.flatMap(({ name }) => [['SQLite', name] as const, [name, 'SQLite'] as const]),
];
sayIfNoEventStoreDb('A log that moves');

for (const [from, to] of WAYS) {
  describe(`A log that moves from ${from} to ${to}`, () => {
    let source: OpenLog;
    let target: OpenLog;

    beforeEach(async () => {
      source = await openLog(from);
      target = await openLog(to);
      await fill(source.events);
    });

    afterEach(async () => {
      await source.close();
      await target.close();
    });

    it('is there whole and in its order, and nothing of an event has changed but its position', async () => {
      const outcome = await migrated(source, target);

      expect(await contentOf(target)).to.deep.equal(await contentOf(source));
      expect(outcome).to.include({ events: 250, copied: 250, newer: 0 });
    });

    it('has one digest on both sides, which anybody can recompute', async () => {
      const { digests } = await migrated(source, target);

      const lines = (await contentOf(source)).map((event) => `${canonicalJson(event)}\n`);
      const digest = createHash('sha256').update(lines.join('')).digest('hex');
      expect(digests).to.deep.equal({ source: digest, target: digest });
    });

    it('goes on where it was broken off', async () => {
      const broken = new AbortController();
      const slowly = { ...target, together: { appends: 10, bytes: 1e6 } };
      let whenBroken = 0;
      const outcome = await migrate(source, slowly, {
        signal: broken.signal,
        onProgress({ phase, done }) {
          if (phase !== 'copying') return;
          whenBroken = done;
          broken.abort();
        },
      });
      expect(outcome).to.deep.equal({ kind: 'interrupted', copied: whenBroken });
      expect(whenBroken).to.be.within(10, 200);
      expect(await allOf(target)).to.have.length(whenBroken);

      expect(await migrated(source, target)).to.include({ events: 250, copied: 250 - whenBroken });
      expect(await contentOf(target)).to.deep.equal(await contentOf(source));
    });

    it('is not copied twice', async () => {
      const first = await migrated(source, target);
      const head = await target.events.head();
      const second = await migrated(source, target);

      expect(second).to.deep.equal({ ...first, copied: 0 });
      expect(await target.events.head()).to.equal(head);
    });
  });
}

for (const by of ['memory', ...eventStoreDbKinds.map(({ name }) => name)]) {
  it(`A log of SQLite that comes back by way of ${by} has its old positions`, async () => {
    const [source, away, home] = [await openLog('SQLite'), await openLog(by), await openLog('SQLite')];
    await fill(source.events);
    await migrated(source, away);
    await migrated(away, home);

    expect(await allOf(home)).to.deep.equal(await allOf(source));
    for (const log of [source, away, home]) await log.close();
  });
}

describe('A migration', () => {
  let source: OpenLog;
  let target: OpenLog;

  beforeEach(async () => {
    source = memoryLog();
    target = memoryLog();
    await fill(source.events);
  });

  it('of an empty log is done at once', async () => {
    const digest = createHash('sha256').digest('hex');
    expect(await migrate(memoryLog(), target)).to.deep.equal({
      kind: 'migrated',
      events: 0,
      copied: 0,
      newer: 0,
      digests: { source: digest, target: digest },
      checkpoints: [],
    });
  });

  it('leaves a copy that no service starts on until all of it was compared', async () => {
    const isFinished = async (): Promise<boolean> => {
      const refusal = await assertFinished(target.checkpoints).catch((error: unknown) => error);
      if (refusal !== undefined) expect(refusal).to.be.instanceOf(StoreUnavailable);
      return refusal === undefined;
    };
    expect(await isFinished()).to.equal(true);
    const broken = new AbortController();
    const breakOff = ({ phase }: MigrationProgress): void => {
      if (phase === 'copying') broken.abort();
    };
    await migrate(source, target, { signal: broken.signal, onProgress: breakOff });
    expect(await isFinished()).to.equal(false);

    await migrate(source, { ...target, events: readingAs(target.events, withoutLast) });
    expect(await isFinished()).to.equal(false);

    await migrated(source, target);
    expect(await isFinished()).to.equal(true);
  });

  describe('refuses before it writes anything', () => {
    const refusal = async (): Promise<string> => {
      const before = await allOf(target);
      const outcome = await migrate(source, target);
      if (outcome.kind !== 'refused') throw new Error(`it ended ${outcome.kind}`);
      expect(await allOf(target)).to.deep.equal(before);
      await assertFinished(target.checkpoints);
      return describeDifference(outcome.difference);
    };

    it('a target that holds another log', async () => {
      const [first] = await allOf(source);
      const stranger = newEvent();
      await append(target.events, 'stranger', NO_STREAM, [stranger]);
      expect(await refusal()).to.equal(
        `event 1 of the source is ${first?.id} (Opened, ${first?.streamId}@0), that of the target ${stranger.id} (Happened, stranger@0)`,
      );
    });

    it('a target that has gone on by itself', async () => {
      await migrated(source, target);
      const own = newEvent();
      await append(target.events, 'own', NO_STREAM, [own]);
      expect(await refusal()).to.equal(
        `event 251 of the source is missing, that of the target ${own.id} (Happened, own@0)`,
      );
    });

    it('a target in which an event says something else', async () => {
      const [first] = await allOf(source);
      const { id, type, version, at, meta, streamId } = first!;
      const forged = { id, type, version, at, meta, data: { text: 'other' } };
      await append(target.events, streamId, NO_STREAM, [forged]);
      expect(await refusal()).to.match(/^event 1 .*, with another data$/);
    });
  });

  it('names what reads otherwise than it was written', async () => {
    const forged = (event: RecordedEvent, row: number): RecordedEvent =>
      row === 70
        ? { ...event, at: '2000-01-01T00:00:00.000Z', meta: { ...event.meta, actor: 'mallory' } }
        : event;
    const outcome = await migrate(source, { ...target, events: readingAs(target.events, forged) });

    if (outcome.kind !== 'unequal') throw new Error(`it ended ${outcome.kind}`);
    expect(outcome.difference.event).to.equal(71);
    expect(describeDifference(outcome.difference)).to.match(/, with another at and meta$/);
  });

  it('names what is not there when it is read', async () => {
    const outcome = await migrate(source, { ...target, events: readingAs(target.events, withoutLast) });

    if (outcome.kind !== 'unequal') throw new Error(`it ended ${outcome.kind}`);
    expect(describeDifference(outcome.difference)).to.match(/^event 250 .* that of the target missing$/);
  });

  it('ends when somebody else writes to the target', async () => {
    const streamId = (await allOf(source))[2]!.streamId;
    const log = faultyEventStore(target.events);
    log.beforeAppend = async ({ events }) => {
      if (log.appends.length === 2) await append(target.events, streamId, NO_STREAM, newEvents(1));
      expect(events).to.have.length.above(0);
    };
    expect(await migrate(source, { ...target, events: log })).to.deep.equal({
      kind: 'disturbed',
      disturbance: { streamId, expectedRevision: NO_STREAM, actualRevision: 0 },
    });
  });

  it('counts what the source took in after it was copied, and takes it along the next time', async () => {
    let isLate = false;
    const onProgress = ({ phase, done }: { phase: string; done: number }): void => {
      if (phase !== 'copying' || done < 250 || isLate) return;
      isLate = true;
      void append(source.events, newStream(), NO_STREAM, newEvents(3));
    };
    expect(await migrated(source, target, { onProgress })).to.include({ events: 250, newer: 3 });
    expect(await migrated(source, target)).to.include({ events: 253, copied: 3, newer: 0 });
    expect(await contentOf(target)).to.deep.equal(await contentOf(source));
  });

  it('tells its progress in events of the source', async () => {
    await migrated(source, target);
    await append(source.events, newStream(), NO_STREAM, newEvents(50));
    const told: unknown[] = [];
    await migrated(source, target, { onProgress: (progress) => told.push(progress) });

    expect(told).to.have.length(300 + 1 + 300);
    expect(told[299]).to.deep.equal({ phase: 'reading', done: 300, total: null });
    expect(told[300]).to.deep.equal({ phase: 'copying', done: 300, total: 300 });
    expect(told[600]).to.deep.equal({ phase: 'verifying', done: 300, total: 300 });
  });

  describe('appends', () => {
    it('together what stands together in a stream, within the bounds of an append', async () => {
      const stream = newStream();
      await append(source.events, stream, NO_STREAM, newEvents(MAX_APPEND_EVENTS));
      await append(source.events, stream, MAX_APPEND_EVENTS - 1, newEvents(1));
      await append(
        source.events,
        newStream(),
        NO_STREAM,
        newEvents(10, { data: { text: 'x'.repeat(60_000) } }),
      );
      const log = faultyEventStore(target.events);
      await migrated(source, { ...target, events: log });

      const sizes = log.appends.map(({ events }) => events.length);
      expect(sizes).to.deep.equal([...Array<number>(60).fill(1), 150, 40, MAX_APPEND_EVENTS, 1, 8, 2]);
    });

    it('one after the other where the engine promises no order to more', async () => {
      const log = faultyEventStore(target.events);
      log.plan('hang');
      const migration = migrated(source, { ...target, events: log });
      await until('it appends', () => log.appends.length > 0);
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      expect(log.appends).to.have.length(1);
      log.letGo();
      await migration;
    });

    it('as many at a time as the engine commits together', async () => {
      const log = faultyEventStore(target.events);
      log.plan(...Array<Fault>(7).fill('hang'));
      const migration = migrated(source, { ...target, events: log, together: { appends: 7, bytes: 1e9 } });
      await until('it appends', () => log.appends.length > 0);
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      expect(log.appends).to.have.length(7);
      log.letGo();
      await migration;
      expect(await contentOf(target)).to.deep.equal(await contentOf(source));
    });

    it('again, and all of them, when it has no answer to one', async () => {
      const log = faultyEventStore(target.events);
      log.plan(
        undefined,
        'write silently',
        undefined,
        undefined,
        undefined,
        undefined,
        'lose',
        'lose',
        'lose',
      );
      await migrated(source, { ...target, events: log, together: { appends: 3, bytes: 1e9 } });

      expect(log.appends.slice(3, 6)).to.deep.equal(log.appends.slice(0, 3));
      expect(log.appends.slice(9, 12)).to.deep.equal(log.appends.slice(6, 9));
      expect(await contentOf(target)).to.deep.equal(await contentOf(source));
    });

    it('again only when none of them is under way any more', async () => {
      const log = faultyEventStore(target.events);
      log.plan('hang', 'lose', 'lose');
      const migration = migrated(source, { ...target, events: log, together: { appends: 3, bytes: 1e9 } });
      await until('it appends', () => log.appends.length > 0);
      await pause(LONGER_THAN_A_RETRY_MS);
      expect(log.appends).to.have.length(3);
      log.letGo();
      await migration;
      expect(await contentOf(target)).to.deep.equal(await contentOf(source));
    });

    it('nothing more once the target is away, and goes on when it is back', async () => {
      const log = faultyEventStore(target.events);
      log.plan(undefined, undefined, 'refuse');
      const error = await rejectionOf(migrate(source, { ...target, events: log }));
      expect(error).to.be.instanceOf(StoreUnavailable);
      expect(log.appends).to.have.length(3);
      expect(await migrated(source, { ...target, events: log })).to.include({ events: 250, copied: 248 });
    });
  });

  it('reads no further ahead than a page while an append is under way', async () => {
    await append(source.events, newStream(), NO_STREAM, newEvents(1_000));
    await append(source.events, newStream(), NO_STREAM, newEvents(1_000));
    let pages = 0;
    let pagesCopied = 0;
    const counted: EventStore = {
      ...source.events,
      async *subscribe(options) {
        for await (const page of source.events.subscribe(options)) {
          pages += 1;
          yield page;
        }
      },
    };
    const log = faultyEventStore(target.events);
    log.plan('hang');
    const onProgress = ({ phase }: { phase: string }): void => {
      if (phase === 'reading') pagesCopied = pages;
    };
    const migration = migrated({ ...source, events: counted }, { ...target, events: log }, { onProgress });
    await until('it appends', () => log.appends.length > 0);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(pages - pagesCopied).to.equal(1);
    log.letGo();
    await migration;
  });

  it('fails when a log is closed under it', async () => {
    await source.events.close();
    expect(await rejectionOf(migrate(source, memoryLog(memoryEventStore())))).to.be.instanceOf(
      StoreUnavailable,
    );
  });
});

const withoutLast = (event: RecordedEvent, row: number): RecordedEvent | undefined =>
  row === 249 ? undefined : event;

/** The log as it reads when `altered` has its way: it leaves out what that gives nothing for. */
function readingAs(
  store: EventStore,
  altered: (event: RecordedEvent, row: number) => RecordedEvent | undefined,
): EventStore {
  return {
    ...store,
    async *subscribe(options) {
      let row = -1;
      for await (const page of store.subscribe(options)) {
        const events = page.events.flatMap((event) => altered(event, (row += 1)) ?? []);
        yield { ...page, events };
      }
    },
  };
}
