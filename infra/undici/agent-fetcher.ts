/** The Fetcher port: posts to strangers' addresses and gets from an upstream's, each over a connection whose other end was checked. */
import { Agent, request } from 'undici';
import type { Fetcher, GetOutcome, OutgoingGet, OutgoingPost, PostOutcome } from '../../src/ports/fetcher.ts';
import { ForbiddenAddress, guardedConnect, type IsAllowed } from './guarded-connect.ts';
import { createNames, NameNotFound, type Names } from './names.ts';
import { GatheredBytes } from '../../src/ports/gathered-bytes.ts';
import { isPublicAddress } from '../../src/ports/public-address.ts';
import { isWebPort } from '../../src/ports/web-port.ts';

export interface FetcherOptions {
  /** For tests, which have no public addresses. */
  readonly isAllowed?: IsAllowed;
  readonly protocols?: readonly string[];
  readonly names?: Names;
}

const CONNECT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;
const CONNECTIONS_PER_ORIGIN = 16;
/** What a receiver says beside its status interests nobody. */
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_RETRY_AFTER_MS = 6 * 60 * 60 * 1_000;

export function createAgentFetcher({
  isAllowed = isPublicAddress,
  protocols = ['https:'],
  names = createNames(),
}: FetcherOptions = {}): Fetcher {
  const { connect, close } = guardedConnect(isAllowed, names, CONNECT_TIMEOUT_MS);
  const agent = new Agent({
    connect,
    connections: CONNECTIONS_PER_ORIGIN,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  });
  return {
    async post(outgoing) {
      const url = checkedAddress(outgoing.url, protocols);
      return 'kind' in url ? url : send(agent, url, outgoing);
    },
    async get(outgoing) {
      const url = checkedAddress(outgoing.url, protocols);
      return 'kind' in url ? url : fetchWhole(agent, url, outgoing);
    },
    async close() {
      names.close();
      await agent.destroy();
      close();
    },
  };
}

type Forbidden = Extract<PostOutcome, { kind: 'forbidden' }>;

function checkedAddress(address: string, protocols: readonly string[]): URL | Forbidden {
  const forbidden = (error: string): Forbidden => ({ kind: 'forbidden', error });
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !protocols.includes(url.protocol))
    return forbidden('only https addresses are notified');
  if (url.username !== '' || url.password !== '')
    return forbidden('an address with a password is not notified');
  return isWebPort(url.port) ? url : forbidden('no web server has this port');
}

async function fetchWhole(
  agent: Agent,
  url: URL,
  { headers, timeoutMs, maxBytes, signal }: OutgoingGet,
): Promise<GetOutcome> {
  const ending = endingOf(timeoutMs, signal);
  let hasBegun = false;
  const fetching = async (): Promise<GetOutcome> => {
    const answer = await request(url, {
      dispatcher: agent,
      method: 'GET',
      headers,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal: ending.signal,
    });
    hasBegun = true;
    const body = await readAtMost(answer.body, maxBytes);
    if (body === null) return { kind: 'too_large' };
    return {
      kind: 'answered',
      status: answer.statusCode,
      body,
      etag: onlyText(answer.headers['etag']),
      contentType: onlyText(answer.headers['content-type']),
      retryAfterMs: retryAfter(answer.headers['retry-after']),
    };
  };
  try {
    return await Promise.race([fetching(), aborted(ending.signal)]);
  } catch (error) {
    if (error instanceof ForbiddenAddress) return { kind: 'forbidden', error: error.message };
    if (signal?.aborted) return { kind: 'stopped' };
    const isLate = ending.signal.aborted;
    const words = isLate ? `no whole answer within ${timeoutMs} ms` : describe(error, timeoutMs);
    return hasBegun && !isLate
      ? { kind: 'cut_short', error: words }
      : { kind: 'failed', error: words, isLate };
  } finally {
    ending.release();
  }
}

/** Null for what is larger; the connection is given up then. */
async function readAtMost(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array | null> {
  const gathered = new GatheredBytes();
  for await (const chunk of body) {
    if (gathered.length + chunk.length > maxBytes) return null;
    gathered.add(chunk);
  }
  return gathered.take();
}

function onlyText(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : null;
}

async function send(
  agent: Agent,
  url: URL,
  { headers, body, timeoutMs, signal }: OutgoingPost,
): Promise<PostOutcome> {
  const ending = endingOf(timeoutMs, signal);
  try {
    const asking = request(url, {
      dispatcher: agent,
      method: 'POST',
      headers,
      body,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal: ending.signal,
    });
    const answer = await Promise.race([asking, aborted(ending.signal)]);
    const retryAfterMs = retryAfter(answer.headers['retry-after']);
    await answer.body.dump({ limit: MAX_ANSWER_BYTES }).catch(() => {
      // The status was all that counts.
    });
    return { kind: 'answered', status: answer.statusCode, retryAfterMs };
  } catch (error) {
    if (error instanceof ForbiddenAddress) return { kind: 'forbidden', error: error.message };
    if (signal?.aborted) return { kind: 'stopped' };
    return { kind: 'failed', error: describe(error, timeoutMs) };
  } finally {
    ending.release();
  }
}

interface Ending {
  readonly signal: AbortSignal;
  /** To be called when nobody waits any more. */
  readonly release: () => void;
}

/** Aborts when the time is over, or with the signal of whoever asked. */
function endingOf(timeoutMs: number, signal: AbortSignal | undefined): Ending {
  const ending = new AbortController();
  const late = setTimeout(() => ending.abort(new Late()), timeoutMs);
  const stop = (): void => ending.abort();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  return {
    signal: ending.signal,
    release() {
      clearTimeout(late);
      signal?.removeEventListener('abort', stop);
    },
  };
}

/** undici looks at its signal once it is connected: a name that nobody tells, or a silent server, would be waited for. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

class Late extends Error {
  override readonly name = 'TimeoutError';
}

/** Seconds, or a date. */
function retryAfter(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) || ms <= 0 ? null : Math.min(ms, MAX_RETRY_AFTER_MS);
}

/** The buyer reads it. What the other side says of itself stays out, and so does what only we can see from here. */
function describe(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return OTHERWISE;
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs} ms`;
  if (error instanceof NameNotFound) return 'its name has no address, or nobody told it in time';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(?:ERR_TLS|CERT_|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code))
    return `${code}: its certificate is not valid`;
  const words = WORDS[code];
  return words === undefined ? OTHERWISE : `${code}: ${words}`;
}

const OTHERWISE = 'the connection failed';
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it takes no connections',
  ECONNRESET: 'it broke the connection off',
  EPIPE: 'it broke the connection off',
  UND_ERR_SOCKET: 'it broke the connection off',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
  ETIMEDOUT: 'it did not take the connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'it did not take the connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'it did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'it did not answer in time',
  UND_ERR_HEADERS_OVERFLOW: 'its answer has too many header fields',
  HPE_INVALID_CONSTANT: 'it does not answer as HTTP',
};
