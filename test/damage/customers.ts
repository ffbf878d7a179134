/** Customers who write down what was acknowledged to them, and hold the market to it. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { CreatedKey } from '../../src/operations/keys/create-key.ts';

export interface Customer {
  readonly apiKey: string;
  readonly keyId: string;
  /** As many spends as the cap of the month has room for. */
  readonly cap: number;
  readonly bought: readonly Bought[];
  /** Where it is told of its jobs, if anywhere. */
  readonly listenerId: string | null;
}

export interface Bought {
  readonly idempotencyKey: string;
  readonly jobId: string;
}

/** What the agent that they hire lists. */
export const TRIAL_CENTS = 1_900;
/** For one request: a server that does not answer is not what is asked for here. */
const PATIENCE_MS = 20_000;

export function newCustomer({ key, keyId }: CreatedKey, cap: number): Customer {
  return { apiKey: key, keyId, cap, bought: [], listenerId: null };
}

/** `nobody`: the key is none of the market’s. `not known again`: whether it is the same request, only the key of the account could tell (people.db). */
export type Answered = 'bought' | 'at the cap' | 'unavailable' | 'gone' | 'nobody' | 'not known again';

/** Buys up to so many times, until the market refuses; with what was acknowledged. */
export async function buy(
  url: string,
  customer: Customer,
  times: number,
): Promise<{ readonly customer: Customer; readonly last: Answered }> {
  let reached = customer;
  for (let made = 0; made < times; made += 1) {
    const idempotencyKey = randomUUID();
    const answer = await order(url, customer, idempotencyKey);
    if (typeof answer === 'string') return { customer: reached, last: answer };
    reached = { ...reached, bought: [...reached.bought, { idempotencyKey, jobId: answer.jobId }] };
  }
  return { customer: reached, last: 'bought' };
}

/** Asks to be told of its jobs. */
export async function listen(url: string, customer: Customer): Promise<Customer> {
  const command = { idempotencyKey: randomUUID(), body: '{}' };
  const answer = await ask(url, customer, '/v1/webhook-listeners', command);
  expect(answer.status, answer.text).to.equal(201);
  const [, listenerId = ''] = /"id":"(\w+)"/.exec(answer.text) ?? [];
  return { ...customer, listenerId };
}

/** Whether something was not answered for now. What was bought is there, is bought once, and is not denied. */
export async function lookAtAll(url: string, customer: Customer): Promise<'whole' | 'unavailable'> {
  let found: 'whole' | 'unavailable' = 'whole';
  if (customer.listenerId !== null) {
    const path = `/v1/webhook-endpoints/${customer.listenerId}`;
    const listener = await ask(url, customer, path);
    expect(listener.status, `the listener: ${listener.text}`).to.be.oneOf([200, 503]);
    const told = await ask(url, customer, `${path}/deliveries`);
    expect(told.status, `what it was told: ${told.text}`).to.be.oneOf([200, 503]);
    if (listener.status === 503 || told.status === 503) found = 'unavailable';
  }
  for (const [index, { idempotencyKey, jobId }] of customer.bought.entries()) {
    const seen = await ask(url, customer, `/v1/jobs/${jobId}`);
    expect(seen.status, `job ${index} of ${customer.bought.length}: ${seen.text}`).to.be.oneOf([200, 503]);
    if (seen.status === 200) expect(seen.text).to.include(`"id":"${jobId}"`);
    // Again under its key: the same one, or none for now.
    const again = await order(url, customer, idempotencyKey);
    if (typeof again === 'object') expect(again.jobId, `spend ${index} once more`).to.equal(jobId);
    else expect(again, `spend ${index} once more`).to.be.oneOf(['unavailable', 'not known again']);
    if (seen.status === 503 || again === 'unavailable') found = 'unavailable';
  }
  return found;
}

async function order(
  url: string,
  customer: Customer,
  idempotencyKey: string,
): Promise<{ readonly jobId: string } | Exclude<Answered, 'bought'>> {
  const body = JSON.stringify({ agent: 'invoice-matcher', brief: 'Match.' });
  const answer = await ask(url, customer, '/v1/trials', { idempotencyKey, body });
  if (answer.status === 0) return 'gone';
  expect(answer.status, answer.text).to.be.oneOf([201, 401, 403, 422, 503]);
  if (answer.status === 503) return 'unavailable';
  if (answer.status === 401) return 'nobody';
  if (answer.status === 422) {
    expect(answer.text).to.include('"idempotency_mismatch"');
    return 'not known again';
  }
  if (answer.status === 403) {
    expect(answer.text).to.include('"monthly_cap"');
    return 'at the cap';
  }
  const [, jobId = ''] = /"id":"(job_\w+)"/.exec(answer.text) ?? [];
  return { jobId };
}

/** Status 0: nobody answers. */
async function ask(
  url: string,
  { apiKey }: Customer,
  path: string,
  command?: { readonly idempotencyKey: string; readonly body: string },
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    ...(command && { 'Content-Type': 'application/json', 'Idempotency-Key': command.idempotencyKey }),
  };
  const request: RequestInit = {
    method: command === undefined ? 'GET' : 'POST',
    headers,
    signal: AbortSignal.timeout(PATIENCE_MS),
    ...(command && { body: command.body }),
  };
  try {
    const answer = await fetch(url + path, request);
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') throw error;
    return { status: 0, text: 'nobody answers' };
  }
}
