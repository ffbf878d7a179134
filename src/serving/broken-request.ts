/** What node cannot parse as HTTP never becomes a request; it is answered in the envelope all the same. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { refuse } from '../operations/refusals.ts';
import { refusedEnvelope } from '../calling/envelope.ts';
import { KEYED_HEADERS } from '../transport/header-blocks.ts';

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** @param transportHeaders as of every other answer */
export function createBrokenRequestAnswer(
  transportHeaders: readonly string[],
): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  const lines = headerLines([...KEYED_HEADERS, ...transportHeaders]);
  return (error, socket) => answerBrokenRequest(error, socket, lines);
}

function headerLines(headers: readonly string[]): string[] {
  return headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}`] : []));
}

function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex, headers: readonly string[]): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS_BY_CODE[error.code ?? ''] ?? 400;
  const phrase = STATUS_CODES[status] ?? '';
  const requestId = `req_${randomUUID()}`;
  const body = refusedEnvelope(
    refuse(
      status === 408 ? 'request_timeout' : 'invalid_request',
      `This is not a request that can be answered: ${phrase}.`,
    ).refusal,
    requestId,
  );
  const head = [
    `HTTP/1.1 ${status} ${phrase}`,
    ...headers,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
