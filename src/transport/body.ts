/** Reading a request's body: JSON in UTF-8, of bounded size. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { refuse, type Refusal } from '../operations/refusals.ts';
import { GatheredBytes } from '../ports/gathered-bytes.ts';
import { inexactIntegers, parseStrictJson, type ParsedJson } from '../calling/strict-json.ts';
import { LEAST_AVERAGE_BYTES, MAX_SMALL_CHUNKS, onTooManyChunks } from './joined-chunks.ts';

export const MAX_BODY_BYTES = 256 * 1024;

/** A body that does not say how long it is, and is too large, is read to its end all the same, up to here. */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024;

const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;
const NOTHING: ParsedJson = { ok: true, value: {} };

/** A body must have come after this. */
export const BODY_TIMEOUT_MS = 30_000;
/** Of a request's address and headers together; what is larger is answered 431 before anybody knows where it goes. */
export const MAX_HEAD_BYTES = 16 * 1_024;

const TOO_MANY_CHUNKS: Refusal = {
  code: 'invalid_request',
  message: `The body has more than ${MAX_SMALL_CHUNKS} chunks of less than ${LEAST_AVERAGE_BYTES} bytes: send it in larger ones.`,
};

export type NoteSize = (bytes: number) => void;

export type JsonBody =
  | (Extract<ParsedJson, { ok: true }> & { readonly text?: string })
  /** `value` is what was sent, where it is JSON and holds integers that are not exact. */
  | (Extract<ParsedJson, { ok: false }> & { readonly value?: unknown });

/**
 * The parsed body, of at most so many bytes, and its text; an empty object when there is none. `noteSize` is told the
 * bytes of a body that was read whole, good or not, and of one that is refused unread (none).
 */
export async function readJsonBody(
  req: IncomingMessage,
  maxBytes: number,
  noteSize: NoteSize,
): Promise<JsonBody> {
  if (!hasBody(req)) return NOTHING;
  const type = req.headers['content-type'];
  if (type === undefined || !JSON_TYPE.test(type)) {
    noteSize(0);
    return refuse('unsupported_media_type', 'The body must be sent as Content-Type: application/json.');
  }
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    noteSize(0);
    return refuse('unsupported_media_type', 'The body must be sent as it is, without a Content-Encoding.');
  }
  const bytes = await readBytes(req, maxBytes);
  if (!Buffer.isBuffer(bytes)) return { ok: false, refusal: bytes };
  noteSize(bytes.length);
  if (!isUtf8(bytes)) return refuse('invalid_json', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  const parsed = parseStrictJson(text);
  if (!parsed.ok) return parsed;
  const details = inexactIntegers(text);
  const [first] = details;
  if (first === undefined) return { ok: true, value: parsed.value, text };
  const message = `The request is not valid: ${first.path || 'the body'} ${first.message}.`;
  return { ...refuse('invalid_request', message, { details }), value: parsed.value };
}

/** The bytes of the body, or the refusal when there are more than `limit`, they take too long, or the sender went away. */
export function readBytes(
  req: IncomingMessage,
  limit: number,
  timeoutMs = BODY_TIMEOUT_MS,
): Promise<Buffer | Refusal> {
  if (Number(req.headers['content-length']) > limit) return Promise.resolve(tooLarge(limit));
  return new Promise((resolve) => {
    const gathered = new GatheredBytes();
    let size = 0;
    let isSettled = false;
    const timer = setTimeout(() => settle(tooSlow(timeoutMs)), timeoutMs);
    // The listeners stay, for to take them off costs as much as to read a small body; what comes late is thrown away.
    const settle = (outcome: Buffer | Refusal): void => {
      clearTimeout(timer);
      isSettled = true;
      resolve(outcome);
    };
    req.on('data', (chunk: Buffer) => {
      if (isSettled) return;
      size += chunk.length;
      if (size <= limit) gathered.add(chunk);
      else if (size > MAX_DISCARDED_BYTES) settle(tooLarge(limit));
    });
    req.on('end', () => settle(size > limit ? tooLarge(limit) : gathered.take()));
    if (isChunked(req)) onTooManyChunks(req, () => settle(TOO_MANY_CHUNKS));
    req.on('close', () => {
      if (!isSettled) settle({ code: 'invalid_request', message: 'The body ended before its time.' });
    });
  });
}

function tooLarge(limit: number): Refusal {
  return { code: 'body_too_large', message: `The body is larger than ${limit / 1024} KiB.` };
}

function tooSlow(timeoutMs: number): Refusal {
  return { code: 'request_timeout', message: `The body did not come within ${timeoutMs / 1_000} s.` };
}

function hasBody(req: IncomingMessage): boolean {
  if (isChunked(req)) return true;
  const length = req.headers['content-length'];
  return length !== undefined && length !== '0';
}

export function isChunked({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined;
}
