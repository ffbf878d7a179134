/**
 * Follows the messages of an account over its REST API, as any client could: it makes a listener, asks for its deliveries
 * once a second, and removes it at the end. Instances that cannot be reached are asked again, for as long as it takes.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { NotReached } from '../verifying/fetch-documents.ts';
import { Refused } from './exit.ts';
import { LISTENING } from '../operations/notifications/listening.ts';
import { signatures } from '../operations/standard-webhooks.ts';
import { rest } from '../timing/rest.ts';

export interface Following {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Where each message is posted to; null: it is only shown. */
  readonly forwardTo: string | null;
  /** Null: everything. */
  readonly types: readonly string[] | null;
  readonly print: (line: string) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

const LOOK_EVERY_MS = 1_000;
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [1_000, 30_000];
const ANSWER_MS = 30_000;
const FORWARD_MS = 10_000;
const FAREWELL_MS = 5_000;
const PAGE = 100;
/** So many pages are looked through for what is new: more than that at once is more than anybody reads. */
const MAX_PAGES = 10;
const MAX_SEEN = 2 * PAGE * MAX_PAGES;
/** Whether it is still listened to is asked with every so many looks: the deliveries of a removed listener stay to be read. */
const LOOKS_TO_A_CHECK = 5;
/** By which the listeners of this program are known from those that others made of the API. */
const DESCRIPTION = 'bourse listen';
/** One that was not removed, since its process was killed. */
const LEFT_BEHIND_MS = 24 * 60 * 60 * 1_000;

const listenerSchema = z.object({ data: z.object({ id: z.string(), secret: z.string() }) });
const endpointsSchema = z.object({
  data: z.array(
    z.object({ id: z.string(), url: z.string(), description: z.string(), createdAt: z.string() }),
  ),
});
const deliveriesSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      jobId: z.string().nullable(),
      body: z.string(),
      createdAt: z.string(),
    }),
  ),
  meta: z.object({ nextCursor: z.string().nullable() }),
});
type Message = z.output<typeof deliveriesSchema>['data'][number];
const refusedSchema = z.object({ error: z.object({ message: z.string() }) });

/**
 * Resolves when the signal is aborted and the listener removed.
 * @throws {Refused} the instance will not have it: a wrong key, a missing scope, too many endpoints; or somebody removed
 * the listener
 */
export async function follow(following: Following): Promise<void> {
  const { print, signal, forwardTo } = following;
  const idempotencyKey = randomUUID();
  const types = following.types === null ? {} : { types: following.types };
  const made = await askPatiently(following, 'POST', '/v1/webhook-listeners', {
    body: { ...types, description: DESCRIPTION },
    idempotencyKey,
  });
  if (made === null) return;
  const { id, secret } = listenerSchema.parse(made).data;
  print(`Listening to ${following.baseUrl} as ${id}. Messages are signed with ${secret}`);
  if (forwardTo !== null) print(`Each is posted to ${forwardTo}`);
  try {
    await removeLeftBehind(following, id);
    const seen = new Set<string>();
    for (let looks = 0; !signal.aborted; looks += 1) {
      if (looks % LOOKS_TO_A_CHECK === 0) await checkIsThere(following, id);
      for (const message of await newMessages(following, id, seen)) await tell(following, message, secret);
      await rest(LOOK_EVERY_MS, signal);
    }
  } finally {
    // The signal is aborted by now: this is the last that is asked.
    await askOnce(
      following,
      'DELETE',
      `/v1/webhook-endpoints/${id}`,
      {},
      AbortSignal.timeout(FAREWELL_MS),
    ).catch((error: unknown) => {
      if (!(error instanceof NotThere)) print(`${id} could not be removed: bourse webhook remove ${id}`);
    });
  }
}

/** @throws {Refused} somebody removed it */
async function checkIsThere(following: Following, id: string): Promise<void> {
  try {
    await askPatiently(following, 'GET', `/v1/webhook-endpoints/${id}`);
  } catch (error) {
    if (error instanceof NotThere) throw new Refused(`${id} was removed by somebody else: listen again`);
    throw error;
  }
}

/** The oldest first. */
async function newMessages(following: Following, id: string, seen: Set<string>): Promise<readonly Message[]> {
  const found: Message[] = [];
  let cursor: string | null = '';
  for (let page = 0; page < MAX_PAGES && cursor !== null; page += 1) {
    const query: string = `limit=${PAGE}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const answer = await askPatiently(following, 'GET', `/v1/webhook-endpoints/${id}/deliveries?${query}`);
    if (answer === null) break;
    const { data, meta } = deliveriesSchema.parse(answer);
    const fresh = data.filter((one) => !seen.has(one.id));
    found.push(...fresh);
    cursor = fresh.length === 0 ? null : meta.nextCursor;
  }
  for (const one of found) seen.add(one.id);
  for (const oldest of seen) {
    if (seen.size <= MAX_SEEN) break;
    seen.delete(oldest);
  }
  return found.toReversed();
}

async function tell(
  { forwardTo, print, signal }: Following,
  message: Message,
  secret: string,
): Promise<void> {
  const { id, type, jobId, body, createdAt } = message;
  const told = `${createdAt}  ${type}  ${jobId ?? ''}`.trimEnd();
  if (forwardTo === null) return print(told);
  const timestamp = Math.floor(Date.now() / 1_000);
  try {
    const {
      ok,
      status,
      body: answer,
    } = await fetch(forwardTo, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatures([secret], id, timestamp, body),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(FORWARD_MS)]),
    });
    await answer?.cancel();
    print(ok ? `${told}  -> ${status}` : `${told}  -> failed: ${forwardTo} answers ${status}`);
  } catch (error) {
    print(`${told}  -> failed: ${reasonOf(error)}`);
  }
}

/** Another start may remove the same ones, and what cannot be removed is no reason not to listen. */
async function removeLeftBehind(following: Following, own: string): Promise<void> {
  const listed = await askPatiently(following, 'GET', '/v1/webhook-endpoints?limit=100');
  if (listed === null) return;
  const before = new Date(Date.now() - LEFT_BEHIND_MS).toISOString();
  for (const { id, url, description, createdAt } of endpointsSchema.parse(listed).data) {
    const isOurs = url === LISTENING && description === DESCRIPTION;
    if (!isOurs || id === own || createdAt >= before) continue;
    try {
      await askPatiently(following, 'DELETE', `/v1/webhook-endpoints/${id}`);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!(error instanceof NotThere)) following.print(`${id} could not be removed: ${error.message}`);
    }
  }
}

/** It answers 404. */
class NotThere extends Refused {}

interface Asked {
  readonly body?: object;
  readonly idempotencyKey?: string;
}

/** Until there is an answer; null where the signal was aborted first. @throws {Refused} the answer is no; {@link NotThere} */
async function askPatiently(
  following: Following,
  method: string,
  path: string,
  asked: Asked = {},
): Promise<unknown> {
  const { signal, print } = following;
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
    try {
      return await askOnce(
        following,
        method,
        path,
        asked,
        AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
      );
    } catch (error) {
      if (!(error instanceof NotReached)) throw error;
      if (signal.aborted) break;
      if (pauseMs === FIRST_PAUSE_MS) print(`${following.baseUrl}: ${error.message}; trying again`);
    }
    await rest(pauseMs, signal);
  }
  return null;
}

/** @throws {NotReached} another try may help @throws {Refused} {@link NotThere} where the answer is 404 */
async function askOnce(
  { baseUrl, apiKey }: Following,
  method: string,
  path: string,
  { body, idempotencyKey }: Asked,
  signal: AbortSignal,
): Promise<unknown> {
  const request = {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
  };
  try {
    const response = await fetch(baseUrl + path, request);
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    if (response.status === 429 || response.status >= 500)
      throw new NotReached(`it answers ${response.status}`);
    const refused = refusedSchema.safeParse(JSON.parse(text));
    const message = refused.success ? refused.data.error.message : `it answers ${response.status}`;
    throw response.status === 404 ? new NotThere(message) : new Refused(message);
  } catch (error) {
    if (error instanceof NotReached || error instanceof Refused) throw error;
    throw new NotReached(reasonOf(error), { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it cannot be reached';
  if (error.name === 'TimeoutError') return 'no answer in time';
  const { cause } = error;
  return cause instanceof Error && 'code' in cause
    ? `it cannot be reached (${String(cause.code)})`
    : error.message;
}
