/** Imports into a market in memory, for tests. */
import type { RecordedEvent } from '../../events/event.ts';
import { createMemoryBlobs } from '../contract/memory/blobs.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { createMemoryQueue } from '../contract/memory/queue.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { importRows, type ImportOutcome, type ImportRequest } from '../../src/importing/import-rows.ts';
import type { ImportServices } from '../../src/importing/import-services.ts';
import { readAll } from '../support/event-log.ts';

export const CAUSE = { at: '2026-11-01T09:00:00.000Z', actor: 'cli', requestId: 'test' };

export type Row = Readonly<Record<string, unknown>>;

export async function* bytesOf(
  text: string | Uint8Array,
  chunkBytes = 1_000,
): AsyncGenerator<Uint8Array, void> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += chunkBytes) yield bytes.subarray(from, from + chunkBytes);
}

export const jsonLines = (rows: readonly Row[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');

export function importText(
  services: ImportServices,
  text: string,
  more: Partial<ImportRequest> = {},
): Promise<ImportOutcome> {
  return importRows(services, {
    dataset: 'tools',
    bytes: bytesOf(text),
    format: 'jsonl',
    source: { kind: 'file', name: 'tools.jsonl' },
    attribution: null,
    isComplete: false,
    mayRetireMany: false,
    dryRun: false,
    cause: CAUSE,
    ...more,
  });
}

export const importAll = (
  services: ImportServices,
  rows: readonly Row[],
  more: Partial<ImportRequest> = {},
): Promise<ImportOutcome> => importText(services, jsonLines(rows), more);

/** The report of an import that is to succeed. */
export async function reportOf(importing: Promise<ImportOutcome>) {
  const outcome = await importing;
  if (!outcome.ok) throw new Error(`the import was refused: ${outcome.refusal.kind}`);
  return outcome.report;
}

export function market() {
  const events = memoryEventStore();
  const commands = createCommandRunner(events);
  return { events, commands, blobs: createMemoryBlobs(), queue: createMemoryQueue() };
}
export type Market = ReturnType<typeof market>;

export function eventsOf({ events }: Market, dataset = 'tools'): Promise<RecordedEvent[]> {
  return readAll(events, `dataset-${dataset}`);
}
export async function typesOf(services: Market): Promise<string[]> {
  return (await eventsOf(services)).map(({ type }) => type);
}

export const tool = (name: string, more: Row = {}): Row => ({
  name,
  url: `https://${name}.example/`,
  category: 'Finance',
  ...more,
});

/** More than one append takes. */
export const MANY = Array.from({ length: 5_000 }, (_, n) =>
  tool(`many-${n}`, { description: 'x'.repeat(200) }),
);
