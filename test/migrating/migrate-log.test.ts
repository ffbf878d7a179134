/** A log that moves from one engine to another: there whole and in its order, whichever they are. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { canonicalJson } from '../../events/canonical-json.ts';
import { NO_STREAM, StoreUnavailable } from '../../events/event-store.ts';
import { append } from '../support/event-log.ts';
import { eventStoreDbKinds, sayIfNoEventStoreDb } from '../support/eventstoredb-logs.ts';
import { newEvents, newStream } from '../support/new-event.ts';
import { rejectionOf } from '../support/rejection.ts';
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
  sourceAndTarget,
} from './logs.ts';

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
    ({ source, target } = await sourceAndTarget());
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

    expect(told).to.have.length(1 + 1 + 300);
    expect(told[0]).to.deep.equal({ phase: 'reading', done: 250, total: null });
    expect(told[1]).to.deep.equal({ phase: 'copying', done: 300, total: 300 });
    expect(told[301]).to.deep.equal({ phase: 'verifying', done: 300, total: 300 });
  });

  it('fails when a log is closed under it', async () => {
    await source.events.close();
    expect(await rejectionOf(migrate(source, memoryLog()))).to.be.instanceOf(StoreUnavailable);
  });
});
