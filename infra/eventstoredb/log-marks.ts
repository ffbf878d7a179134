/**
 * The identity of the log in EventStoreDB, kept in a stream of its own that no subscription is given. Positions are
 * places in the bytes of the server's log: no running digest would tell more than the id of the event at its place.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { RecordedEvent } from '../../events/event.ts';
import { idFromUuid } from '../../events/ids.ts';
import type { LogMark, LogMarks } from '../../events/log-mark.ts';
import type { Connection } from './connection.ts';
import { decode } from './event-record.ts';
import { latestValue } from './latest-value.ts';
import { compare, fromText, isPosition } from './position.ts';
import { readEventAt, readLogPage, unlessNoPlace } from './read-pages.ts';

const IDENTITY = z.object({ logId: z.string() });
/** Followers commit what they were given a moment ago. */
const MAX_SEEN = 1_024;

type Seen = Omit<LogMark, 'logId' | 'digest'>;

export interface EventStoreDbMarks extends LogMarks {
  /** To be told of the last event of each page, and of each append. */
  readonly note: (event: Pick<RecordedEvent, 'position' | 'id' | 'at'>) => void;
}

/** Gives the log an identity if nobody has. @throws {StoreUnavailable} */
export async function openLogMarks(connection: Connection, prefix: string): Promise<EventStoreDbMarks> {
  const latest = latestValue(connection, `identity-of-${prefix}log`, 'LogIdentified');
  if ((await latest.get()) === null) await latest.begin({ logId: randomUUID() });
  let { logId } = IDENTITY.parse(await latest.get());
  let seen: Seen[] = [];
  return {
    logId: () => logId,
    async at(position) {
      const last =
        seen.length === 0
          ? await storedAt(connection, prefix, position)
          : seen.findLast((one) => one.position <= position);
      return last === undefined ? null : { logId, ...last, digest: null };
    },
    eventIdAt: (position) => eventIdAt(connection, position),
    digestAt: async () => null,
    countBetween: () => null,
    async adopt(other) {
      await latest.set({ logId: other });
      logId = other;
    },
    note({ position, id: eventId, at }) {
      // Readers that are far behind keep no marks until they are near the end.
      if (position <= (seen.at(-1)?.position ?? '')) return;
      seen.push({ position, eventId, at });
      if (seen.length > 2 * MAX_SEEN) seen = seen.slice(-MAX_SEEN);
    },
  };
}

/** For a process that was given nothing yet. Undefined where none of ours is at this very position. */
async function storedAt(connection: Connection, prefix: string, position: string): Promise<Seen | undefined> {
  if (!isPosition(position)) return undefined;
  const found = await unlessNoPlace(readEventAt(connection, fromText(position)));
  if (found === null || found === undefined || !found.stream.startsWith(prefix)) return undefined;
  const { id: eventId, at } = decode(prefix, found);
  return { position, eventId, at };
}

async function eventIdAt(connection: Connection, position: string): Promise<string | null> {
  const from = fromText(position);
  const page = await unlessNoPlace(readLogPage(connection, { direction: 'forwards', from, maxCount: 1 }));
  const [found] = page ?? [];
  if (found === undefined || compare(found.position, from) !== 0) return null;
  return idFromUuid('event', found.uuid);
}
