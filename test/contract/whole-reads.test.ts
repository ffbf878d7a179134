import { status } from '@grpc/grpc-js';
import { NO_STREAM, StoreUnavailable } from '../../events/event-store.ts';
import { openEventStoreDb } from '../../infra/eventstoredb/event-store.ts';
import { memoryCheckpoints } from './memory/checkpoints.ts';
import { memoryEventStore } from './memory/event-store.ts';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { type EventStoreDouble, startEventStoreDouble } from '../support/eventstoredb/double.ts';
import type { StreamFault } from '../support/eventstoredb/faults.ts';
import { newEvents, newStream } from '../support/new-event.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { type Cut, type CuttableLog, wholeReadsContract } from './whole-reads.contract.ts';

/** Cuts that are waited out are to be short. */
const DEADLINE_MS = 200;

wholeReadsContract('memory', [], async () => ({
  async connect() {
    const store = memoryEventStore();
    return { store, checkpoints: memoryCheckpoints(), close: () => store.close() };
  },
  cuts: {},
  dispose: async () => {},
}));

wholeReadsContract('SQLite', [], async () => {
  const folder = await tempFolder();
  return {
    connect: () => openSqliteLog({ path: folder.file('log.db') }),
    cuts: {},
    dispose: () => folder.remove(),
  };
});

const DOUBLE_CUTS = [
  'the server says no more',
  'the server fails',
  'the connection is cut',
  'the line is given up for another call',
] as const;

for (const generation of ['23.10', '24.2'] as const) {
  wholeReadsContract(`EventStoreDB ${generation} (double)`, DOUBLE_CUTS, async () => {
    const server = await startEventStoreDouble({ generation });
    const opened: CuttableLog[] = [];
    return {
      async connect() {
        // A busy machine may not keep so short a deadline at a start.
        for (let tries = 1; ; tries += 1) {
          try {
            const log = await openEventStoreDb({
              url: server.url,
              prefix: 'whole.',
              deadlineMs: DEADLINE_MS,
            });
            opened.push(log);
            return log;
          } catch (error) {
            if (tries === 5 || !(error instanceof StoreUnavailable)) throw error;
          }
        }
      },
      cuts: cutsOn(server),
      async dispose() {
        for (const { close } of opened) await close();
        await server.stop();
      },
    };
  });
}

function cutsOn(server: EventStoreDouble): Record<(typeof DOUBLE_CUTS)[number], Cut> {
  const all = (fault: StreamFault) => {
    const switched = (['read', 'subscribe'] as const).map((method) => server.faults.on(method, fault));
    return {
      met: () => switched.some(({ met }) => met() > 0),
      off: () => switched.forEach(({ off }) => off()),
    };
  };
  return {
    'the server says no more': (_, events) => all({ kind: 'silence-after', events }).off,
    'the server fails': (_, events) => all({ kind: 'drop-after', events, code: status.UNAVAILABLE }).off,
    'the connection is cut': (_, events) => all({ kind: 'break-after', events }).off,
    // As where the node is gone that this other call was for.
    'the line is given up for another call': ({ store }, events) => {
      const { met, off } = all({ kind: 'silence-after', events });
      const unreachable = {
        kind: 'status',
        code: status.UNAVAILABLE,
        details: 'No connection established',
      } as const;
      const other = server.faults.on('batchAppend', unreachable, 2);
      void until('the read was met', met).then(() =>
        store.append(newStream(), NO_STREAM, newEvents(1)).catch(() => {}),
      );
      return () => {
        off();
        other.off();
      };
    },
  };
}
