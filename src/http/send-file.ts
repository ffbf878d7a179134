/** Writes a file as the answer: to be saved, never to be shown, and kept by nobody on its way. */
import { pipeline } from 'node:stream/promises';
import type { FileAnswer } from '../operations/operation.ts';
import type { Exchange } from '../transport/exchange.ts';
import { headersOf, logRequest } from '../transport/send.ts';

const STALLED_AFTER_MS = 30_000;

export async function sendFile(exchange: Exchange, { file, range, open }: FileAnswer): Promise<void> {
  const { res, req, headers } = exchange;
  const { name, contentType, sizeBytes, sha256 } = file;
  const status = range === null ? 200 : 206;
  // The block that every answer begins with says JSON.
  headers[headers.indexOf('Content-Type') + 1] = contentType;
  headers.push('Cache-Control', 'no-store', 'Accept-Ranges', 'bytes', 'ETag', `"${sha256}"`);
  headers.push('Content-Disposition', attachment(name));
  headers.push('Content-Length', String(range === null ? sizeBytes : range.last - range.first + 1));
  if (range !== null) headers.push('Content-Range', `bytes ${range.first}-${range.last}/${sizeBytes}`);
  const bytes = req.method === 'HEAD' ? null : await open();
  res.writeHead(status, headersOf(exchange));
  // Whoever reads nothing for so long is let go of; node takes any progress for reading.
  res.setTimeout(STALLED_AFTER_MS, () => res.destroy());
  try {
    if (bytes === null) res.end();
    else await pipeline(bytes, res);
  } catch (error) {
    // Whoever stops reading half-way is no fault of ours.
    if (!res.destroyed) throw error;
  } finally {
    logRequest(exchange, status, false, undefined);
  }
}

/** RFC 6266: a plain name for old clients, and the real one for the others. */
function attachment(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const real = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${real}`;
}
