/**
 * MCP over standard input and output, one message a line, by the SDK's own transport. Nothing but protocol is ever
 * written: what goes out is a message by the SDK's schema or is not sent.
 */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import {
  errorText,
  INTERNAL_ERROR,
  isObject,
  PARSE_ERROR,
  parseMessage,
  type RequestId,
} from './json-rpc.ts';

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

/** Resolves when the input has ended and what was asked is answered. */
export async function serveStdio(answer: Answerer, { input, output, complain }: Streams): Promise<void> {
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MAX_LINE_BYTES });
  const underWay = new Map<RequestId, AbortController>();
  const answering = new Set<Promise<void>>();
  const send = (text: string): Promise<void> => transport.send(JSONRPCMessageSchema.parse(JSON.parse(text)));

  transport.onerror = (error) => {
    complain(error.message);
    const unreadable = { code: PARSE_ERROR, message: 'This line is not a JSON-RPC 2.0 message' };
    output.write(`${errorText(null, unreadable)}\n`);
  };
  transport.onmessage = (message: unknown) => {
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) return underWay.get(cancelled)?.abort();
    const done = answerOne(message).finally(() => answering.delete(done));
    answering.add(done);
  };
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });

  async function answerOne(message: unknown): Promise<void> {
    const id = idOfRequest(message);
    const controller = new AbortController();
    if (id !== undefined) underWay.set(id, controller);
    try {
      const text = await answer(message, controller.signal);
      // Whoever took a request back expects no answer to it.
      if (text !== null && !controller.signal.aborted) await send(text);
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error));
      const told = { code: INTERNAL_ERROR, message: 'Something went wrong here; see the log of the server' };
      if (id !== undefined && !controller.signal.aborted) await send(errorText(id, told));
    } finally {
      if (id !== undefined) underWay.delete(id);
    }
  }

  // Nobody reads any more: there is nothing left to do, and no reason to fail.
  output.on('error', () => void transport.close());
  await transport.start();
  await Promise.race([once(input, 'end'), once(input, 'close'), closed]);
  await Promise.all(answering);
  await transport.close();
}

function idOfRequest(value: unknown): RequestId | undefined {
  const message = parseMessage(value);
  return message?.kind === 'request' ? message.id : undefined;
}

function cancelledBy(value: unknown): RequestId | undefined {
  if (!isObject(value) || value['method'] !== 'notifications/cancelled' || !isObject(value['params']))
    return undefined;
  const { requestId } = value['params'];
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : undefined;
}
