/** Many appends are under way to EventStoreDB at once, and the order of the whole log is kept whatever breaks. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { NO_STREAM, OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';
import { openEventStoreDb } from '../../infra/eventstoredb/event-store.ts';
import { append } from '../support/event-log.ts';
import { type EventStoreDouble, startEventStoreDouble } from '../support/eventstoredb/double.ts';
import { newEvents, newStream } from '../support/new-event.ts';
import { startServedDouble } from '../support/served-double.ts';
import { until } from '../support/until.ts';
import { contentOf, memoryLog, migrated, type OpenLog } from './logs.ts';

const STREAMS = 40;
const ROUNDS = 50;
const DEADLINE_MS = 120_000;

describe('A migration into EventStoreDB', function () {
  this.timeout(DEADLINE_MS);
  let source: OpenLog;
  let double: EventStoreDouble;
  const opened: OpenLog[] = [];

  /** Streams by turns: no two events that follow one another are of one stream. */
  before(async () => {
    source = memoryLog();
    const streams = Array.from({ length: STREAMS }, newStream);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const stream of streams) {
        await append(source.events, stream, round === 0 ? NO_STREAM : round - 1, newEvents(1));
      }
    }
  });
  beforeEach(async () => {
    double = await startEventStoreDouble();
  });
  afterEach(async () => {
    double.faults.clear();
    for (const { close } of opened.splice(0)) await close();
    await double.stop();
  });

  async function open(url: string): Promise<OpenLog> {
    const { store, checkpoints, together, close } = await openEventStoreDb({ url, prefix: 'moved.' });
    const log = { events: store, checkpoints, together, close };
    opened.push(log);
    return log;
  }

  /** As an operator does: the same command again until it says that it is done. */
  async function migratedInTheEnd(url: string): Promise<number> {
    for (let runs = 1; ; runs += 1) {
      try {
        await migrated(source, await open(url));
        return runs;
      } catch (error) {
        if (!(error instanceof StoreUnavailable || error instanceof OutcomeUnknown)) throw error;
      }
    }
  }

  it('has appends to many streams under way at once', async () => {
    const target = await open(double.url);
    const before = double.stats().calls.batchAppend;
    const held = double.faults.on('batchAppend', { kind: 'slow', ms: 60_000 }, 1);
    const migration = migrated(source, target).catch((error: unknown) => error);
    await until('many appends are there', () => double.stats().calls.batchAppend - before >= 100);
    expect(held.met()).to.equal(1);
    double.faults.clear();
    double.cutConnections();
    await migration;
  });

  it('keeps the order though its connections are cut again and again', async () => {
    let committed = 0;
    double.ledger.onCommit(() => {
      committed += 1;
      if (committed % 157 === 0) setImmediate(double.cutConnections);
    });
    await migratedInTheEnd(double.url);

    expect(await contentOf(await open(double.url))).to.deep.equal(await contentOf(source));
  });

  it('keeps the order though answers stay away or come late', async () => {
    const faults = [
      { kind: 'effect-then-silence' },
      { kind: 'effect-then-break' },
      { kind: 'late', ms: 300 },
    ] as const;
    const target = await open(double.url);
    let committed = 0;
    double.ledger.onCommit(() => {
      committed += 1;
      const fault = faults[(committed / 400) % faults.length];
      if (fault !== undefined) double.faults.on('batchAppend', fault, 1);
    });
    await migrated(source, target);

    expect(await contentOf(target)).to.deep.equal(await contentOf(source));
  });

  it('goes on where the server was killed', async () => {
    const served = await startServedDouble();
    const killing = (async () => {
      for (let kills = 0; kills < 3; kills += 1) {
        await delay(Math.random() * 400);
        await served.kill();
        await served.start();
      }
    })();
    await migratedInTheEnd(served.url);
    await killing;

    const { store, close } = await openEventStoreDb({ url: served.url, prefix: 'moved.' });
    expect(await contentOf({ events: store })).to.deep.equal(await contentOf(source));
    await close();
    for (const log of opened.splice(0)) await log.close();
    await served.close();
  });
});
