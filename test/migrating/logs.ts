/** Logs to migrate from and to, and what is in them. */
import type { RecordedEvent } from '../../events/event.ts';
import { type EventStore, NO_STREAM } from '../../events/event-store.ts';
import { memoryCheckpoints } from '../contract/memory/checkpoints.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import type { CopyTarget } from '../../src/migrating/copy-events.ts';
import {
  type LogWithCheckpoints,
  type MigrationOutcome,
  type MigrationParts,
  migrateLog,
} from '../../src/migrating/migrate-log.ts';
import { append, eventsOf, pagesUntil } from '../support/event-log.ts';
import { eventStoreDbKinds } from '../support/eventstoredb-logs.ts';
import { newEvent, newEvents, newStream } from '../support/new-event.ts';
import { tempFolder } from '../support/temp-folder.ts';

export type OpenLog = LogWithCheckpoints & CopyTarget & { readonly close: () => Promise<void> };

export function memoryLog(events: EventStore = memoryEventStore()): OpenLog {
  return { events, checkpoints: memoryCheckpoints(), close: () => events.close() };
}

/** Or the name of a kind of EventStoreDB. */
export type LogKind = 'memory' | 'SQLite' | (string & {});

export async function openLog(kind: LogKind): Promise<OpenLog> {
  if (kind === 'memory') return memoryLog();
  if (kind === 'SQLite') return sqliteLog();
  const { open, dispose } = await eventStoreDbKinds.find(({ name }) => name === kind)!.start();
  const { store, checkpoints, together } = await open();
  return { events: store, checkpoints, together, close: dispose };
}

async function sqliteLog(): Promise<OpenLog> {
  const folder = await tempFolder();
  const { store, checkpoints, together, close } = await openSqliteLog({ path: folder.file('log.db') });
  return { events: store, checkpoints, together, close: () => close().then(folder.remove) };
}

/** Streams by turns, runs in one stream, texts and numbers of every kind: 250 events. */
export async function fill(store: EventStore): Promise<void> {
  const streams = [newStream(), newStream(), newStream()];
  for (let round = 0; round < 20; round += 1) {
    for (const stream of streams) await append(store, stream, round - 1, [odd(round)]);
  }
  await append(store, newStream(), NO_STREAM, newEvents(150));
  await append(store, streams[0]!, 19, newEvents(40));
}

function odd(round: number): ReturnType<typeof newEvent> {
  return newEvent({
    type: round % 2 === 0 ? 'Opened' : 'Closed',
    version: 1 + (round % 3),
    at: `2026-0${1 + (round % 9)}-01T00:00:00.000Z`,
    data: { text: '東京 \u0000"\\ 🜚', b: [1, -0.5, null, 1e21], a: { z: true, a: '' } },
    meta: { actor: 'cli', requestId: `req-${round}`, commandId: `command-${round}`, prev: '0'.repeat(64) },
  });
}

export async function allOf({ events }: Pick<OpenLog, 'events'>): Promise<RecordedEvent[]> {
  return eventsOf(await pagesUntil(events, { after: null }, (_, page) => page.caughtUp));
}

/** The events as any log should have them. */
export async function contentOf(log: Pick<OpenLog, 'events'>): Promise<unknown[]> {
  return (await allOf(log)).map(({ position: _position, ...event }) => event);
}

export function migrate(
  source: OpenLog,
  target: OpenLog,
  parts: Partial<MigrationParts> = {},
): Promise<MigrationOutcome> {
  const signal = new AbortController().signal;
  return migrateLog({ source, target, reactions: [], signal, patienceMs: 0, onProgress: () => {}, ...parts });
}

export async function migrated(
  ...asked: Parameters<typeof migrate>
): Promise<MigrationOutcome & { kind: 'migrated' }> {
  const outcome = await migrate(...asked);
  if (outcome.kind !== 'migrated') throw new Error(`it ended ${JSON.stringify(outcome)}`);
  return outcome;
}

/** A log with events in it, and an empty one to move it to. */
export async function sourceAndTarget(): Promise<{ readonly source: OpenLog; readonly target: OpenLog }> {
  const source = memoryLog();
  await fill(source.events);
  return { source, target: memoryLog() };
}
