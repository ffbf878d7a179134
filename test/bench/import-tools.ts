/** Rows into the tools of a market, as `bourse import --complete` takes them. */
import { createReadStream } from 'node:fs';
import { importRows } from '../../src/importing/import-rows.ts';
import type { ImportServices } from '../../src/importing/import-services.ts';
import { toolsImport } from '../support/tools-import.ts';

const CHUNK_BYTES = 256 * 1_024;

/** @param bytes JSON lines, of which each is to be taken */
export async function importTools(services: ImportServices, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  // Those of the demonstration market go.
  const request = toolsImport(bytes, { mayRetireMany: true, requestId: 'bench' });
  const outcome = await importRows(services, request);
  if (!outcome.ok || outcome.report.counts.refused > 0) throw new Error('the import was refused');
}

/** The same of a file. */
export function importToolsOf(services: ImportServices, file: string): Promise<void> {
  // Without an encoding its chunks are bytes.
  const bytes = createReadStream(file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Uint8Array>;
  return importTools(services, bytes);
}
