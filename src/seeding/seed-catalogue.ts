/**
 * Fills the data sets of the Directory Data API with a small catalogue: each file of its folder is imported, as any
 * file would be. What was imported before is unchanged, so a second run, or one after a crash, adds what is missing.
 */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DEMONSTRATION } from '../importing/attribution.ts';
import { importRows } from '../importing/import-rows.ts';
import type { ImportCause, ImportServices } from '../importing/import-services.ts';

const SUFFIX = '.jsonl';
/** Another process that seeds the same market may come first: then its rows are there the next time. */
const MOST_TRIES = 5;

/**
 * @returns how many rows there are; null when the signal was aborted before the end
 * @throws {Error} a file is not sound
 */
export async function seedCatalogue(
  services: ImportServices,
  folder: string,
  cause: ImportCause,
  signal?: AbortSignal,
): Promise<number | null> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX)).sort();
  let rows = 0;
  for (const name of names) {
    if (signal?.aborted === true) return null;
    rows += await seedFile(services, folder, name, cause);
  }
  return rows;
}

async function seedFile(
  services: ImportServices,
  folder: string,
  name: string,
  cause: ImportCause,
): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await importRows(services, {
      // A name of a data set with a point for each slash: `directory.mcp.servers.jsonl`.
      dataset: name.slice(0, -SUFFIX.length).replaceAll('.', '/'),
      bytes: bytesOf(join(folder, name)),
      format: 'jsonl',
      source: { kind: 'file', name },
      attribution: DEMONSTRATION,
      isComplete: false,
      mayRetireMany: false,
      dryRun: false,
      cause,
    });
    if (outcome.ok && outcome.report.counts.refused === 0) return outcome.report.rows;
    const isOvertaken = !outcome.ok && outcome.refusal.kind === 'overtaken';
    if (!isOvertaken || tries === MOST_TRIES)
      throw new Error(`${name}: ${JSON.stringify(outcome.ok ? outcome.report.refused : outcome.refusal)}`);
  }
}

/** Without an encoding its chunks are bytes. */
function bytesOf(file: string): AsyncIterable<Uint8Array> {
  return createReadStream(file) as AsyncIterable<Uint8Array>;
}
