/** A subscription as a test hears it: all that the server says, in the order it says it. */
import { type AllStreamSubscription, type EventStoreDBClient, streamNameFilter } from '@eventstore/db-client';
import { until } from '../until.ts';
import type { Ledger } from './ledger.ts';

/** What the streams begin with that {@link follow} follows. */
export const MINE = 'mine-';

export interface Heard {
  readonly subscription: AllStreamSubscription;
  /** Events by type, checkpoints by position, failures by message, and what else is said by its name. */
  readonly heard: string[];
  /** Waits until each of these was said. */
  readonly has: (...said: string[]) => Promise<void>;
}

export function listen(subscription: AllStreamSubscription, heard: string[] = []): Heard {
  subscription.on('confirmation', () => heard.push('confirmation'));
  subscription.on('caughtUp', () => heard.push('caughtUp'));
  subscription.on('fellBehind', () => heard.push('fellBehind'));
  subscription.on('data', (resolved) => heard.push(resolved.event?.type ?? ''));
  subscription.on('error', ({ message }) => heard.push(message));
  const has = (...said: string[]) =>
    until(`the server says ${said.join(', ')}`, () => said.every((word) => heard.includes(word)));
  return { subscription, heard, has };
}

/** Follows the streams of MINE; a checkpoint is due after `pages` of so many events, which the server sets by default. */
export function follow(
  client: EventStoreDBClient,
  fromPosition: NonNullable<Parameters<typeof client.subscribeToAll>[0]>['fromPosition'],
  pageEvents?: number,
  pages = 1,
): Heard {
  const heard: string[] = [];
  const filter = streamNameFilter({
    prefixes: [MINE],
    checkpointInterval: pages,
    ...(pageEvents !== undefined && { maxSearchWindow: pageEvents }),
    checkpointReached: async (_, { commit, prepare }) => void heard.push(`${commit}/${prepare}`),
  });
  return listen(client.subscribeToAll({ filter, ...(fromPosition && { fromPosition }) }), heard);
}

/** How a checkpoint at that event of the log is heard. */
export function checkpointAt({ log }: Ledger, index: number): string {
  const position = log.at(index)?.position;
  return `${position}/${position}`;
}
