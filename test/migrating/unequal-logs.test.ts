/** A target that is not, or does not become, the same log: told in words, and no service starts on it. */
import { expect } from 'chai';
import type { RecordedEvent } from '../../events/event.ts';
import { type EventStore, NO_STREAM, StoreUnavailable } from '../../events/event-store.ts';
import { describeDifference } from '../../src/migrating/event-difference.ts';
import type { MigrationProgress } from '../../src/migrating/migrate-log.ts';
import { assertFinished } from '../../src/migrating/unfinished-copy.ts';
import { append } from '../support/event-log.ts';
import { faultyEventStore } from '../support/faulty-event-store.ts';
import { newEvent, newEvents } from '../support/new-event.ts';
import { allOf, migrate, migrated, type OpenLog, sourceAndTarget } from './logs.ts';

describe('A migration to a target that differs', () => {
  let source: OpenLog;
  let target: OpenLog;

  beforeEach(async () => {
    ({ source, target } = await sourceAndTarget());
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
