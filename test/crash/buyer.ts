/** A buyer who writes down what was acknowledged, and whose server may be gone at any moment. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { CreatedKey } from '../../src/operations/keys/create-key.ts';

export interface Wish {
  readonly idempotencyKey: string;
  spend: 'unknown' | 'acknowledged' | 'denied';
  /** Known once the spend is acknowledged. */
  jobId: string | null;
  cancel: 'not asked' | 'unknown' | 'acknowledged';
}

export interface Buyer {
  /** Whether they ask again where they had no answer; for those who do not, the reactions must see to it. */
  readonly isCareful: boolean;
  readonly apiKey: string;
  readonly mandateId: string;
  readonly wishes: Wish[];
}

export function newBuyer({ key, mandateId }: CreatedKey, isCareful: boolean): Buyer {
  return { isCareful, apiKey: key, mandateId, wishes: [] };
}

export const acknowledged = ({ wishes }: Buyer): number =>
  wishes.filter(({ spend }) => spend === 'acknowledged').length;

/** The server is gone, or cannot tell: only the same request again can. */
export class Unanswered extends Error {
  /** Whether the server says that it did nothing, this time. */
  get isUndone(): boolean {
    return this.message.includes('Nothing was done');
  }
}

export function newWish(): Wish {
  return { idempotencyKey: randomUUID(), spend: 'unknown', jobId: null, cancel: 'not asked' };
}

/** Buys, and gives up some of what was bought, until the cap is reached or the server is gone. */
export async function buyUntilGone(url: string, buyer: Buyer): Promise<void> {
  try {
    for (;;) {
      const wish = newWish();
      buyer.wishes.push(wish);
      await spend(url, buyer, wish);
      if (wish.spend === 'denied') return;
      const whim = Math.random();
      if (whim < 0.3) await cancel(url, buyer, wish);
      else if (whim < 0.5) await see(url, buyer, wish);
    }
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
  }
}

/** A careful buyer sends again what had no answer, and has one for everything afterwards. */
export async function settle(url: string, buyer: Buyer): Promise<void> {
  if (!buyer.isCareful) return;
  for (const wish of buyer.wishes) await settleWish(url, buyer, wish);
}

/** Asks once more what has no answer yet. @throws {Unanswered} */
export async function settleWish(url: string, buyer: Buyer, wish: Wish): Promise<void> {
  if (wish.spend === 'unknown') await spend(url, buyer, wish);
  if (wish.cancel === 'unknown') await cancel(url, buyer, wish);
}

/** Everything acknowledged is there, and saying it again changes nothing. */
export async function look(url: string, buyer: Buyer): Promise<void> {
  const bought = buyer.wishes.filter(({ spend }) => spend === 'acknowledged');
  for (const wish of bought) await see(url, buyer, wish);
  for (const wish of bought.slice(0, 3)) {
    const before = wish.jobId;
    await spend(url, buyer, wish);
    expect(wish.jobId).to.equal(before);
  }
}

async function spend(url: string, { apiKey }: Buyer, wish: Wish): Promise<void> {
  const trial = { agent: 'invoice-matcher', brief: 'Match.', metadata: { wish: wish.idempotencyKey } };
  const answer = await send(`${url}/v1/trials`, apiKey, wish.idempotencyKey, trial);
  expect(answer.status, answer.text).to.be.oneOf([201, 403]);
  if (answer.status === 403) expect(answer.text).to.include('"monthly_cap"');
  wish.spend = answer.status === 201 ? 'acknowledged' : 'denied';
  if (answer.status === 201) wish.jobId = idIn(answer.text);
}

async function cancel(url: string, { apiKey }: Buyer, wish: Wish): Promise<void> {
  wish.cancel = 'unknown';
  const answer = await send(`${url}/v1/jobs/${wish.jobId}/cancel`, apiKey, `cancel-${wish.idempotencyKey}`);
  expect(answer.status, answer.text).to.equal(200);
  expect(answer.text).to.include('"status":"cancelled"');
  wish.cancel = 'acknowledged';
}

/** Looks at the job of an acknowledged spend. @throws {Unanswered} */
export async function see(url: string, { apiKey }: Buyer, wish: Wish): Promise<void> {
  const answer = await send(`${url}/v1/jobs/${wish.jobId}`, apiKey);
  expect(answer.status, answer.text).to.equal(200);
  expect(answer.text).to.include(wish.idempotencyKey);
  if (wish.cancel === 'acknowledged') expect(answer.text).to.include('"status":"cancelled"');
}

async function send(
  url: string,
  apiKey: string,
  idempotencyKey?: string,
  body?: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const request: RequestInit = {
    method: idempotencyKey === undefined ? 'GET' : 'POST',
    headers: {
      Authorization: `Bearer ${apiKey}`,
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  const answer = await answerOf(url, request).catch((error: unknown) => {
    throw new Unanswered('no answer', { cause: error });
  });
  if (answer.status === 503) throw new Unanswered(answer.text);
  return answer;
}

async function answerOf(url: string, request: RequestInit) {
  const response = await fetch(url, request);
  return { status: response.status, text: await response.text() };
}

function idIn(text: string): string {
  const [, jobId] = /"id":"(job_\w+)"/.exec(text) ?? [];
  if (jobId === undefined) throw new Error(`no job in ${text}`);
  return jobId;
}
