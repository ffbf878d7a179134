/**
 * Servers for tests of the EventStoreDB adapter: the double always, and beside it the real one that `EVENTSTORE_URL`
 * names, in a prefix of the run's own. What a run wrote there stays there.
 */
import { type EventStoreDbLog, openEventStoreDb } from '../../infra/eventstoredb/event-store.ts';
import { startEventStoreDouble } from './eventstoredb/double.ts';
import { sayUntested } from './untested.ts';

export interface EventStoreDbPlace {
  /** Another connection to the same log, as another process would have it. */
  readonly open: () => Promise<EventStoreDbLog>;
  /** Closes every connection and, where it is the double, the server. */
  readonly dispose: () => Promise<void>;
}

export interface EventStoreDbKind {
  readonly name: string;
  readonly start: () => Promise<EventStoreDbPlace>;
}

/** The real server that whoever runs the tests has named. */
export const eventStoreDbUrl = withoutIdlePassword(process.env['EVENTSTORE_URL'] ?? '') || undefined;

export const eventStoreDbKinds: readonly EventStoreDbKind[] = [
  { name: 'EventStoreDB (double)', start: () => startOnDouble('23.10') },
  { name: 'KurrentDB (double)', start: () => startOnDouble('24.2') },
  ...(eventStoreDbUrl ? [{ name: 'EventStoreDB', start: async () => placeAt(eventStoreDbUrl ?? '') }] : []),
];

/** Says why `what` is not tried on a real server, if it is not. */
export function sayIfNoEventStoreDb(what: string): void {
  if (eventStoreDbUrl === undefined)
    sayUntested(`${what} on a real EventStoreDB`, 'EVENTSTORE_URL is not set');
}

let prefixes = 0;

/** That no other test and no other run has. */
function newPrefix(): string {
  prefixes += 1;
  return `test_${Date.now()}_${process.pid}_${prefixes}.`;
}

async function startOnDouble(generation: '23.10' | '24.2'): Promise<EventStoreDbPlace> {
  const server = await startEventStoreDouble({ generation });
  const place = placeAt(server.url);
  return { open: place.open, dispose: () => place.dispose().then(server.stop) };
}

function placeAt(url: string): EventStoreDbPlace {
  const prefix = newPrefix();
  const opened: EventStoreDbLog[] = [];
  return {
    async open() {
      const log = await openEventStoreDb({ url, prefix });
      opened.push(log);
      return log;
    },
    async dispose() {
      for (const { close } of opened) await close();
    },
  };
}

/** A server without TLS asks for no password; addresses in its documentation have one all the same. */
function withoutIdlePassword(url: string): string {
  return /[?&]tls=false\b/i.test(url) ? url.replace(/\/\/[^/?]*@/, '//') : url;
}
