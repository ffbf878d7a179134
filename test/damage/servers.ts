/** EventStoreDB's double and MongoDB on the files of one folder, which can be exchanged beneath them. */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type EventStoreDouble, startEventStoreDouble } from '../support/eventstoredb/double.ts';
import { openKeptLedger } from '../support/eventstoredb/kept-log.ts';
import { startMongo } from '../support/mongodb-server.ts';
import type { Settings } from '../support/served-market.ts';

/** What a market on servers is kept in: each a file or folder of that name. */
export const PARTS = ['log', 'views', 'data'] as const;
export type Part = (typeof PARTS)[number];

export interface Servers {
  readonly settings: Settings;
  /** Replaces this part by what is in another folder, at the same address; null: by nothing. */
  readonly exchange: (part: Part, by: string | null) => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface RunningLog {
  readonly double: EventStoreDouble;
  readonly close: () => void;
}

export async function startServers(folder: string): Promise<Servers> {
  const place = (part: Part): string => join(folder, part);
  mkdirSync(place('views'), { recursive: true });
  mkdirSync(place('data'), { recursive: true });
  const beginLog = async (port: number): Promise<RunningLog> => {
    const { ledger, close } = openKeptLedger(place('log'));
    const double = await startEventStoreDouble({ ledger, port });
    return { double, close };
  };
  const endLog = async ({ double, close }: RunningLog): Promise<void> => {
    await double.stop();
    close();
  };
  const replace = (part: Part, by: string | null): void => {
    rmSync(place(part), { recursive: true, force: true });
    if (by !== null) cpSync(join(by, part), place(part), { recursive: true });
    else if (part !== 'log') mkdirSync(place(part));
  };
  let log = await beginLog(0);
  const mongo = await startMongo([], place('views')).catch(async (error: unknown) => {
    await endLog(log);
    throw error;
  });
  const settings = {
    DATA_DIR: place('data'),
    EVENTSTORE_URL: log.double.url,
    MONGODB_URL: `${mongo.url}market`,
    SIGNING_SECRET: 's'.repeat(64),
  };
  return {
    settings,
    async exchange(part, by) {
      if (part === 'log') {
        const { port } = log.double;
        await endLog(log);
        replace(part, by);
        log = await beginLog(port);
      } else if (part === 'views') {
        await mongo.kill();
        replace(part, by);
        await mongo.start();
      } else replace(part, by);
    },
    async stop() {
      await endLog(log);
      await mongo.close();
    },
  };
}
