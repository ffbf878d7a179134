/** Writes lines of JSON as the answer, as they are made and as fast as they are read. */
import { pipeline } from 'node:stream/promises';
import { logFailure } from '../logging/failures.ts';
import type { LinesAnswer } from '../operations/operation.ts';
import type { Exchange } from '../transport/exchange.ts';
import { refusalFor } from '../calling/failure.ts';
import { headersOf, logRequest, sendRefusal } from '../transport/send.ts';
import { createFilePace, whose } from './file-pace.ts';

const STALLED_AFTER_MS = 30_000;
/** Lines are sent in pieces of so many characters: each by itself would cost more than to make it. */
const PIECE_CHARS = 64 * 1_024;
/** Of all that are sent at once: to make a piece takes a millisecond or more, and a line that takes all waits for none. */
const PIECES_A_ROUND = 1;
const pace = createFilePace(PIECES_A_ROUND);

export async function sendLines(exchange: Exchange, { name, lines, done }: LinesAnswer): Promise<void> {
  const { context, res, req, headers, requestId, operation } = exchange;
  const pieces = piecesOf(lines);
  try {
    // Whatever cannot even be begun is refused as any other request is.
    const first = await pieces.next();
    // The block that every answer begins with says JSON.
    headers[headers.indexOf('Content-Type') + 1] = 'application/x-ndjson';
    headers.push('Cache-Control', 'no-store', 'Content-Disposition', `attachment; filename="${name}"`);
    res.writeHead(200, headersOf(exchange));
    // Whoever reads nothing for so long is let go of; node takes any progress for reading.
    res.setTimeout(STALLED_AFTER_MS, () => res.destroy());
    if (req.method === 'HEAD') res.end();
    else await pipeline(pace.paced(beginningWith(first, pieces), whose(exchange)), res);
    logRequest(exchange, 200, false, undefined);
  } catch (error) {
    if (!res.headersSent) {
      logFailure(context.log, error, { requestId, operation }, 'operation failed');
      sendRefusal(exchange, refusalFor(error, requestId));
      return;
    }
    // pipeline has broken the answer off: what was sent cannot pass for the whole.
    if (!isReadersFault(error)) logFailure(context.log, error, { requestId, operation }, 'answer broken off');
    logRequest(exchange, 200, false, undefined);
  } finally {
    await pieces.return(undefined);
    done();
  }
}

async function* piecesOf(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const line of lines) {
    piece += line;
    if (piece.length < PIECE_CHARS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

async function* beginningWith(
  first: IteratorResult<string>,
  rest: AsyncIterator<string>,
): AsyncIterable<string> {
  for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
}

function isReadersFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
