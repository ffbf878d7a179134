/** The Meter port in one SQLite file of its own, written by a worker; several processes on one machine may share it. */
import { type Meter, MeterUnavailable } from '../../src/ports/meter.ts';
import { CallThread } from './call-thread.ts';
import type { MeterCalls } from './meter-calls.ts';
import type { HistoryCalls } from './meter-history.ts';
import { countedFrom, drawMessage } from './meter-messages.ts';
import { spawnWorker } from './spawn-worker.ts';

export interface SqliteMeter {
  readonly meter: Meter;
  readonly close: () => Promise<void>;
}

/**
 * The file is opened, and made where there is none, by the first call.
 * @param now Unix time of tests in milliseconds
 */
export function openSqliteMeter(path: string, now: () => number | undefined = () => undefined): SqliteMeter {
  const thread = new CallThread<MeterCalls>({
    file: 'meter',
    startWorker: () => spawnWorker('./meter-worker', path),
    Unavailable: MeterUnavailable,
  });
  const reader = new CallThread<HistoryCalls>({
    file: 'meter',
    startWorker: () => spawnWorker('./meter-history-worker', path),
    Unavailable: MeterUnavailable,
  });
  const meter: Meter = {
    count: async (draw, known) =>
      countedFrom(draw, await thread.ask('count', drawMessage(draw, known, now()))),
    giveBack: (receipt) => thread.ask('giveBack', receipt),
    read: (accountId, allowance, known) => thread.ask('read', accountId, allowance, known, now()),
    seed: (month) => thread.ask('seed', month),
    async history(question) {
      await thread.ask('fold');
      return reader.ask('history', question);
    },
    unsaved: (limit) => thread.ask('unsaved', limit),
    saved: (months) => thread.ask('saved', months),
    async prune() {
      while (await thread.ask('prune', now()));
    },
  };
  return {
    meter,
    async close() {
      await reader.close();
      await thread.close();
    },
  };
}
