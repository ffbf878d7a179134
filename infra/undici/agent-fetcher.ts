/** The Fetcher port: posts to strangers' addresses, each over a connection whose other end was checked. */
import { Agent, request } from 'undici';
import type { Fetcher, OutgoingPost, PostOutcome } from '../../src/ports/fetcher.ts';
import { ForbiddenAddress, guardedConnect, type IsAllowed } from './guarded-connect.ts';
import { isPublicAddress } from './public-address.ts';

export interface FetcherOptions {
  /** For tests, which have no public addresses. */
  readonly isAllowed?: IsAllowed;
  readonly protocols?: readonly string[];
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
}: FetcherOptions = {}): Fetcher {
  const agent = new Agent({
    connect: guardedConnect(isAllowed, CONNECT_TIMEOUT_MS),
    connections: CONNECTIONS_PER_ORIGIN,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  });
  return {
    async post(outgoing) {
      const url = URL.canParse(outgoing.url) ? new URL(outgoing.url) : null;
      if (url === null || !protocols.includes(url.protocol)) {
        return { kind: 'forbidden', error: 'only https addresses are notified' };
      }
      if (url.username !== '' || url.password !== '') {
        return { kind: 'forbidden', error: 'an address with a password is not notified' };
      }
      return send(agent, url, outgoing);
    },
    close: () => agent.destroy(),
  };
}

async function send(
  agent: Agent,
  url: URL,
  { headers, body, timeoutMs }: OutgoingPost,
): Promise<PostOutcome> {
  try {
    const answer = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers,
      body,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const retryAfterMs = retryAfter(answer.headers['retry-after']);
    await answer.body.dump({ limit: MAX_ANSWER_BYTES }).catch(() => {
      // The status was all that counts.
    });
    return { kind: 'answered', status: answer.statusCode, retryAfterMs };
  } catch (error) {
    if (error instanceof ForbiddenAddress) return { kind: 'forbidden', error: error.message };
    return { kind: 'failed', error: describe(error, timeoutMs) };
  }
}

/** Seconds, or a date. */
function retryAfter(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) || ms <= 0 ? null : Math.min(ms, MAX_RETRY_AFTER_MS);
}

function describe(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs} ms`;
  return 'code' in error ? `${String(error.code)}: ${error.message}` : error.message;
}
