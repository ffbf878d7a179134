/** A request whose body comes slowly: something happens after its head was looked at, before it is whole. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { MOMENT_MS } from '../../src/calling/admission.ts';

export interface SlowRequest {
  readonly method: string;
  readonly path: string;
  readonly key?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SlowAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** @param meanwhile what happens when the first half has been sent */
export async function sendSlowly(
  url: string,
  { method, path, key, headers, body }: SlowRequest,
  meanwhile: () => Promise<unknown>,
): Promise<SlowAnswer> {
  const sent = request(url + path, {
    method,
    agent: false,
    headers: {
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...headers,
      'Content-Length': Buffer.byteLength(body),
      // The server says 100 when it begins to read, and so has looked at the key.
      Expect: '100-continue',
    },
  });
  const answered: Promise<IncomingMessage> = once(sent, 'response').then(([response]) => response);
  sent.flushHeaders();
  await Promise.race([
    once(sent, 'continue'),
    answered.then(({ statusCode }) => {
      throw new Error(`refused with ${statusCode} before its body was read`);
    }),
  ]);
  const half = body.length >> 1;
  sent.write(body.slice(0, half));
  await meanwhile();
  // This is what makes the body slow.
  await pause(MOMENT_MS + 10);
  sent.end(body.slice(half));
  const response = await answered;
  return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) };
}
