/** A double and a client of it, which tests of the double start and stop together. */
import type { EventStoreDBClient } from '@eventstore/db-client';
import { clientOf } from './client-of.ts';
import { type DoubleOptions, type EventStoreDouble, startEventStoreDouble } from './double.ts';

export interface DoubleWithClient {
  readonly server: EventStoreDouble;
  readonly client: EventStoreDBClient;
  /** Disposes of the client and stops the server. */
  readonly stop: () => Promise<void>;
}

export async function startWithClient(options?: DoubleOptions): Promise<DoubleWithClient> {
  const server = await startEventStoreDouble(options);
  const client = clientOf(server);
  const stop = async (): Promise<void> => {
    await client.dispose();
    await server.stop();
  };
  return { server, client, stop };
}
