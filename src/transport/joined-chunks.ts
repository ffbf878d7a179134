/**
 * Bodies in chunks (RFC 9112, 7.1), however small these are. Node makes a buffer of each, and hands over all that it has
 * read of a connection, up to eleven thousand, before anybody can take one. Here they are joined first, whether the body
 * is ever read or not.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatheredBytes } from '../ports/gathered-bytes.ts';

/** So many chunks a body may have of any size; one of 256 KiB that is written token by token has mostly fewer. */
export const MAX_SMALL_CHUNKS = 16_384;
/** Of more than those. To take a chunk apart costs a microsecond, whatever is in it. */
export const LEAST_AVERAGE_BYTES = 64;

const TOO_MANY = Symbol('too many chunks');

/** To be called for a body in chunks before anything of it is handed over: when its request is. */
export function joinChunks(req: IncomingMessage, res: ServerResponse): void {
  const push = req.push.bind(req);
  const joined = new GatheredBytes();
  let [chunks, bytes] = [0, 0];

  function handOver(): void {
    if (joined.length > 0) push(joined.take());
  }
  req.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      handOver();
      return push(null);
    }
    chunks += 1;
    bytes += chunk.length;
    if (chunks > MAX_SMALL_CHUNKS && bytes < chunks * LEAST_AVERAGE_BYTES) {
      giveUp(req, res);
      return true;
    }
    // Ticks and promises have their turn after each chunk, so that it would be too soon.
    if (joined.length === 0) setImmediate(handOver);
    joined.add(chunk);
    return req.readableLength + joined.length < req.readableHighWaterMark;
  };
}

/** Calls back when nothing more is read of a body for its chunks: whoever reads it still has an answer to give. */
export function onTooManyChunks(req: IncomingMessage, tell: () => void): void {
  req.once(TOO_MANY, tell);
}

/** Nothing more is read of the connection. It ends with the answer; whoever would still read finds the body broken off. */
function giveUp(req: IncomingMessage, res: ServerResponse): void {
  req.push = () => true;
  req.socket.pause();
  res.shouldKeepAlive = false;
  const isAnswered = req.emit(TOO_MANY);
  req._read = () => isAnswered || req.destroy();
  if (!isAnswered && req.readableDidRead) req.destroy();
}
