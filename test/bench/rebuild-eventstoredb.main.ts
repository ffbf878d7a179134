/**
 * Reads a whole log in EventStoreDB. Arguments: what (bare, rebuild), the server's address, the prefix of the log, and
 * the data folder for the views. Answers a message `{events}`, how many the log holds, with what it did. A rebuild can
 * be asked for once: its views are there then.
 */
import { readFileSync } from 'node:fs';
import { EventStoreDBClient } from '@eventstore/db-client';
import { openMarket } from '../../src/composition/app.ts';
import { readConfig } from '../../src/settings/config.ts';
import { createLog } from '../../src/logging/log.ts';
import { endOfAll, followBare } from './bare-following.ts';
import { documentsOf } from './market.ts';
import { measureReplay, type Replayed } from './replaying.ts';

const LOOK_EVERY_MS = 50;

const [what = '', url = '', prefix = '', dataDir = ''] = process.argv.slice(2);

export interface Followed extends Replayed {
  /** Of the process, since its start. */
  readonly peakRssMib: number;
  /** Of that, what no file backs, while it read: the rest is the program and views.db, which is mapped into memory. */
  readonly peakAnonMib: number;
  /** How many there are in each view, where views were built. */
  readonly documents: Readonly<Record<string, number>>;
}

interface Reader {
  readonly read: (events: number) => Promise<void>;
  readonly documents: () => Promise<Readonly<Record<string, number>>>;
}

const reader = what === 'bare' ? await bareClient() : await program();

process.on(
  'message',
  ({ events }: { events: number }) => void measure(events).then((done) => process.send?.(done)),
);
process.send?.('ready');

async function measure(events: number): Promise<Followed> {
  let peakAnonMib = 0;
  const watch = setInterval(() => (peakAnonMib = Math.max(peakAnonMib, anonymousMib())), LOOK_EVERY_MS);
  const replayed = await measureReplay(async () => {
    await reader.read(events);
    return events;
  });
  clearInterval(watch);
  const peakRssMib = process.resourceUsage().maxRSS / 1_024;
  return { ...replayed, peakRssMib, peakAnonMib, documents: await reader.documents() };
}

function anonymousMib(): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}

/** The program as it starts on a log of which it has no views. */
async function program(): Promise<Reader> {
  const settings = { EVENTSTORE_URL: url, EVENTSTORE_PREFIX: prefix, DATA_DIR: dataDir };
  const market = await openMarket(readConfig(settings), createLog('error'));
  return { read: () => market.catchUp(), documents: () => documentsOf(market) };
}

/** The ceiling: every event of the log, as the client parses it, and nothing made of it. */
async function bareClient(): Promise<Reader> {
  const client = EventStoreDBClient.connectionString(url);
  // The log is filled later. What others have in this database is no part of the measurement.
  const after = await endOfAll(client);
  return { read: (events) => followBare(client, prefix, events, after), documents: async () => ({}) };
}
