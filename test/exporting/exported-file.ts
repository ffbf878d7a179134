/** What is in an exported file. */
import type { ExportedFile } from '../../src/exporting/exports.ts';

export async function bytesOf({ manifest, read }: ExportedFile): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of read(0, manifest.bytes - 1)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Of one in JSONL, not packed. */
export function linesOf(bytes: Buffer): Readonly<Record<string, string>>[] {
  return bytes
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
