/**
 * What every log promises of reads that are cut off: an error, never a shorter answer. An adapter's test file hands in
 * how its reads can be cut.
 */
import { expect } from 'chai';
import type { Checkpoints } from '../../events/checkpoints.ts';
import type { RecordedEvent } from '../../events/event.ts';
import { type EventStore, NO_STREAM, StoreUnavailable } from '../../events/event-store.ts';
import { append, eventsOf, idsOf, readAll } from '../support/event-log.ts';
import { newEvents, newStream } from '../support/new-event.ts';
import { until } from '../support/until.ts';

export interface CuttableLog {
  readonly store: EventStore;
  readonly checkpoints: Checkpoints;
  readonly close: () => Promise<void>;
}

/** Cuts off what reads from now on, each read after so many events; gives the way to end that. */
export type Cut = (log: CuttableLog, events: number) => () => void;

export interface CuttableEngine {
  /** Another connection to the log, or a log of its own where an engine knows no other connections. */
  readonly connect: () => Promise<CuttableLog>;
  /** Beside the closing of the log, which every engine knows. */
  readonly cuts: Readonly<Record<string, Cut>>;
  readonly dispose: () => Promise<void>;
}

const EVENTS = 30;
/** In the midst of a first page, at its end, and behind it. */
const CUT_AFTER = [0, 1, 8, 9, 29];

export function wholeReadsContract(
  name: string,
  cuts: readonly string[],
  start: () => Promise<CuttableEngine>,
): void {
  describe(`Reads that are cut off: ${name}`, () => {
    const events = newEvents(EVENTS);
    const stream = newStream();
    let engine: CuttableEngine;
    let log: CuttableLog;
    let head: string;

    before(async () => {
      engine = await start();
      log = await filled();
      expect(Object.keys(engine.cuts)).to.have.members([...cuts]);
    });
    after(async () => {
      await log.close();
      await engine.dispose();
    });

    /** The identical appends again write nothing, where connections are to one log. */
    async function filled(): Promise<CuttableLog> {
      const filling = await engine.connect();
      await append(filling.store, stream, NO_STREAM, events.slice(0, 3));
      ({ position: head } = await append(filling.store, stream, 2, events.slice(3)));
      await filling.checkpoints.set('a-reaction', head);
      return filling;
    }

    const cutBy = async <T>(cut: string, after: number, read: () => Promise<T>): Promise<T | Error> => {
      const mend = engine.cuts[cut]?.(log, after);
      try {
        return await orUnavailable(read());
      } finally {
        mend?.();
      }
    };

    for (const cut of cuts) {
      for (const direction of ['forwards', 'backwards'] as const) {
        it(`read ${direction} gives all or throws, where ${cut}`, async () => {
          for (const after of CUT_AFTER) {
            const given = await cutBy(cut, after, () => readAll(log.store, stream, { direction }));
            if (!(given instanceof Error)) expect(idsOf(given), `cut after ${after}`).to.have.length(EVENTS);
            await until('reads are whole again', async () => {
              const again = await orUnavailable(readAll(log.store, stream, { direction }));
              return !(again instanceof Error) && again.length === EVENTS;
            });
          }
        });
      }

      it(`head is the last event or throws, where ${cut}`, async () => {
        for (const after of [0, 1]) {
          const given = await cutBy(cut, after, () => log.store.head());
          if (!(given instanceof Error)) expect(given).to.equal(head);
        }
      });

      it(`a checkpoint is what was kept or throws, where ${cut}`, async () => {
        for (const after of [0, 1]) {
          const given = await cutBy(cut, after, () => log.checkpoints.get('a-reaction'));
          if (!(given instanceof Error)) expect(given).to.equal(head);
        }
      });

      it(`a subscription loses and repeats nothing, where ${cut}`, async () => {
        for (const after of [0, 1, 9]) await followThrough(after, () => engine.cuts[cut]?.(log, after));
      });
    }

    it('read gives all or throws, where the log is closed in the midst of it', async () => {
      for (const after of CUT_AFTER) {
        const own = await filled();
        const given: RecordedEvent[] = [];
        const failure = await orUnavailable(
          (async () => {
            if (after === 0) void own.close();
            for await (const event of own.store.read(stream)) {
              given.push(event);
              if (given.length === after) void own.close();
            }
          })(),
        );
        if (failure === undefined) expect(given, `closed after ${after}`).to.have.length(EVENTS);
        await own.close();
      }
    });

    it('head and checkpoints are what they are or throw, where the log is closed', async () => {
      const own = await filled();
      const reads = [orUnavailable(own.store.head()), orUnavailable(own.checkpoints.get('a-reaction'))];
      await own.close();
      for (const given of await Promise.all(reads))
        if (!(given instanceof Error)) expect(given).to.equal(head);
    });

    it('a subscription says that it has caught up only when it has, where the log is closed', async () => {
      const own = await filled();
      let given = 0;
      let isTold = false;
      for await (const page of own.store.subscribe({
        after: null,
        pageSize: 5,
        signal: new AbortController().signal,
      })) {
        given += ours(page.events).length;
        isTold ||= page.caughtUp;
        await own.close();
      }
      if (isTold) expect(given).to.equal(EVENTS);
    });

    /** Follows the log, comes back after each failure as every reader does, and is mended after the first page or failure. */
    async function followThrough(cutAfter: number, cut: () => (() => void) | undefined): Promise<void> {
      const mend = cut();
      const given: RecordedEvent[] = [];
      let after: string | null = null;
      try {
        while (given.length < EVENTS) {
          const abort = new AbortController();
          const failure = await orUnavailable(
            (async () => {
              for await (const page of log.store.subscribe({ after, pageSize: 5, signal: abort.signal })) {
                given.push(...ours(eventsOf([page])));
                after = page.position;
                if (page.caughtUp) expect(idsOf(given), `cut after ${cutAfter}`).to.have.length(EVENTS);
                if (given.length >= EVENTS) return;
              }
              throw new StoreUnavailable('the subscription ended');
            })(),
          );
          abort.abort();
          if (failure instanceof Error) mend?.();
        }
      } finally {
        mend?.();
      }
      expect(idsOf(given)).to.deep.equal(idsOf(events));
    }

    function ours(page: readonly RecordedEvent[]): RecordedEvent[] {
      return page.filter((event) => event.streamId === stream);
    }
  });
}

/** What came of it, or that the log said that it could not. */
async function orUnavailable<T>(work: Promise<T>): Promise<T | Error> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StoreUnavailable) return error;
    throw error;
  }
}
