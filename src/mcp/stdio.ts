/**
 * MCP over standard input and output, one message a line. Nothing but protocol is ever written: what goes out is a
 * message by the SDK's schema or is not sent. Lines are read here and not by the SDK, whose transport refuses the
 * `params: null` of clients that have no other word for none.
 */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { inexactIntegers } from '../calling/strict-json.ts';
import {
  errorText,
  idOf,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  type Message,
  PARSE_ERROR,
  parseMessage,
  type RequestId,
} from './json-rpc.ts';
import { readLines } from './read-lines.ts';

/** Answers one message with one message, as JSON; null where there is nothing to answer. */
export type Answerer = (message: unknown, signal: AbortSignal) => Promise<string | null>;

export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
  /** For the person who looks why it does not work. */
  readonly complain: (line: string) => void;
}

/** A line has room for the largest body that HTTP takes; a longer one ends the conversation. */
const MAX_LINE_BYTES = 1_024 * 1_024;
/** More than a host ever asks at once; each may wait for a job for a minute. */
const MAX_UNDER_WAY = 256;

/** Resolves when the input has ended and what was asked is answered. */
export async function serveStdio(answer: Answerer, { input, output, complain }: Streams): Promise<void> {
  const underWay = new Map<RequestId, AbortController>();
  const answering = new Set<Promise<void>>();
  const gone = new AbortController();

  async function send(text: string): Promise<void> {
    JSONRPCMessageSchema.parse(JSON.parse(text));
    await write(text);
  }
  async function write(text: string): Promise<void> {
    if (output.write(`${text}\n`)) return;
    // It fails when the reader has gone, and then there is nobody to wait for.
    await once(output, 'drain', { signal: gone.signal }).catch(() => {});
  }
  function refuse(id: RequestId | null, code: number, message: string): Promise<void> {
    complain(message);
    // The SDK's schema knows no answer without an id.
    return write(errorText(id, { code, message }));
  }

  async function answerLine(line: string): Promise<void> {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return refuse(null, PARSE_ERROR, 'This line is not JSON');
    }
    const message = parseMessage(value);
    if (message === null)
      return refuse(idOf(value), INVALID_REQUEST, 'This line is not a JSON-RPC 2.0 message');
    // Only the text of the line shows them; the answerers see what became of it.
    const [inexact] = inexactIntegers(line);
    if (inexact !== undefined)
      return refuse(
        inexact.path === 'id' ? null : idOf(value),
        INVALID_REQUEST,
        `${inexact.path} ${inexact.message}`,
      );
    const cancelled = cancelledBy(message);
    if (cancelled === undefined) await answerOne(value, message.kind === 'request' ? message.id : undefined);
    else underWay.get(cancelled)?.abort();
  }

  async function answerOne(value: unknown, id: RequestId | undefined): Promise<void> {
    const controller = new AbortController();
    if (id !== undefined) underWay.set(id, controller);
    try {
      const text = await answer(value, controller.signal);
      // Whoever took a request back expects no answer to it.
      if (text !== null && !controller.signal.aborted) await send(text);
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error));
      const rendered = {
        code: INTERNAL_ERROR,
        message: 'Something went wrong here; see the log of the server',
      };
      if (id !== undefined && !controller.signal.aborted) await send(errorText(id, rendered));
    } finally {
      if (id !== undefined) underWay.delete(id);
    }
  }

  // Nobody reads any more: there is nothing left to do, and no reason to fail.
  output.on('error', () => gone.abort());
  const limits = { maxBytes: MAX_LINE_BYTES, maxUnderWay: MAX_UNDER_WAY };
  const failure = await readLines(input, limits, gone.signal, (line) => {
    const done = answerLine(line).finally(() => answering.delete(done));
    answering.add(done);
    return done;
  });
  if (failure !== null) await refuse(null, PARSE_ERROR, failure.message);
  await Promise.all(answering);
}

function cancelledBy(message: Message): RequestId | undefined {
  if (message.kind !== 'notification' || message.method !== 'notifications/cancelled') return undefined;
  const { requestId } = message.params;
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : undefined;
}
