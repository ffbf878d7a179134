/** Writes a file as the answer: to be saved, never to be shown, and kept by nobody on its way. */
import { pipeline } from 'node:stream/promises';
import { refusalFor } from '../calling/failure.ts';
import { logFailure } from '../logging/failures.ts';
import type { FileAnswer } from '../operations/operation.ts';
import { BlobsUnavailable } from '../ports/blobs.ts';
import type { Exchange } from '../transport/exchange.ts';
import { headersOf, logRequest, sendMessage, sendRefusal } from '../transport/send.ts';
import { createFilePace, whose } from './file-pace.ts';

const STALLED_AFTER_MS = 30_000;
const pace = createFilePace();

export async function sendFile(exchange: Exchange, { file, range, open }: FileAnswer): Promise<void> {
  const { res, req, headers, context, requestId } = exchange;
  const { name, contentType, sizeBytes, sha256, position = null } = file;
  if (position !== null) headers.push('X-Export-Position', position);
  if (range === 'not modified') {
    headers.push('Cache-Control', 'no-store', 'ETag', `"${sha256}"`);
    return sendMessage(exchange, 304, '');
  }
  let bytes: AsyncIterable<Uint8Array> | null = null;
  try {
    // Before the answer begins: a store that is away is a refusal, and not an answer that breaks off.
    if (req.method !== 'HEAD') bytes = await begun(await open());
  } catch (error) {
    logFailure(context.log, error, { requestId }, 'a file could not be opened');
    return sendRefusal(exchange, refusalFor(error, requestId));
  }
  const status = range === null ? 200 : 206;
  // The block that every answer begins with says JSON.
  headers[headers.indexOf('Content-Type') + 1] = contentType;
  headers.push('Cache-Control', 'no-store', 'Accept-Ranges', 'bytes', 'ETag', `"${sha256}"`);
  headers.push('Content-Disposition', attachment(name), 'Repr-Digest', digestField(sha256));
  headers.push('Content-Length', String(range === null ? sizeBytes : range.last - range.first + 1));
  if (range !== null) headers.push('Content-Range', `bytes ${range.first}-${range.last}/${sizeBytes}`);
  res.writeHead(status, headersOf(exchange));
  // Whoever reads nothing for so long is let go of; node takes any progress for reading.
  res.setTimeout(STALLED_AFTER_MS, () => res.destroy());
  try {
    if (bytes === null) res.end();
    else await pipeline(pace.paced(bytes, whose(exchange)), res);
  } catch (error) {
    // Whoever stops reading half-way is no fault of ours.
    if (!res.destroyed) throw error;
  } finally {
    logRequest(exchange, status, false, undefined);
  }
}

/** The same bytes, of which the first have come: most of what can go wrong has not by then. */
async function begun(bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const reading = bytes[Symbol.asyncIterator]();
  const first = await reading.next().catch((cause: unknown) => {
    throw new BlobsUnavailable('a file broke off before its first bytes', { cause });
  });
  return (async function* () {
    try {
      for (let next = first; next.done !== true; next = await reading.next()) yield next.value;
    } finally {
      await reading.return?.();
    }
  })();
}

/** RFC 9530: of the whole file, also where a part of it is sent. */
function digestField(sha256: string): string {
  return `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;
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
