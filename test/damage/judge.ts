/** What a market makes of damage: it refuses with a reason, or has every acknowledged spend and keeps the caps. */
import { expect } from 'chai';
import type { Life, Program } from '../support/built-program.ts';
import type { Settings } from '../support/served-market.ts';
import { until } from '../support/until.ts';
import { buy, type Customer, lookAtAll } from './customers.ts';

export const OUTCOMES = [
  'whole',
  'unavailable with a reason',
  'refused at the start',
  'known as lost',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

const SETTLED_MS = 60_000;

/** @throws {AssertionError} something acknowledged is lost, a cap is passed, or there is no reason */
export async function judge(
  program: Program,
  settings: Settings,
  customers: readonly Customer[],
): Promise<Outcome> {
  const life = program.start(settings, { isExpectedToFail: true });
  try {
    const url = await Promise.race([life.url, life.ended.then(() => null)]).catch(() => null);
    if (url === null) return await isRefusedAtStart(life);
    if (await isLost(life, url)) return await isLeftAlone(url, customers);
    const found = await Promise.all(customers.map((customer) => holdTo(url, customer))).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}\n${life.printed()}`);
      },
    );
    expect(life.printed(), life.printed()).not.to.match(/"stack":|^ +at /m);
    if (found.every((one) => one === 'whole')) return 'whole';
    // Lines are written some at a time, up to a fifth of a second after the answer.
    await until('a reason is printed', () => /"level":"(warn|error)"/.test(life.printed()), SETTLED_MS).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}\n${JSON.stringify(found)}\n${life.printed()}`);
      },
    );
    return 'unavailable with a reason';
  } finally {
    await life.kill();
  }
}

/**
 * Once the loss is accepted it is ready, and no cap is passed; a log that is damaged itself is refused before.
 * @param customers of whom the views knew what had been acknowledged
 */
export async function goesOnAfterLoss(
  program: Program,
  settings: Settings,
  customers: readonly Customer[],
): Promise<void> {
  const accepting = ['log', 'accept-loss', '--reason', 'A disk was damaged.', '--yes'];
  const refusal = await program.run(settings, accepting).then(() => null, String);
  if (refusal !== null)
    return void expect(refusal, refusal).to.match(
      /\nbourse: .* ((it|itself) is damaged|do not belong together): [^\n]*\n?$/,
    );
  const life = program.start(settings, { isExpectedToFail: true });
  try {
    const url = await life.url;
    await until('it is ready', async () => (await fetch(`${url}/readyz`)).status === 200, SETTLED_MS).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}\n${life.printed()}`);
      },
    );
    for (const customer of customers) {
      const { customer: after } = await buy(url, customer, customer.cap + 1);
      expect(after.bought.length, 'acknowledged before and after the loss').to.be.at.most(customer.cap);
    }
  } finally {
    await life.kill();
  }
}

async function isRefusedAtStart(life: Life): Promise<Outcome> {
  expect(await life.ended, `exit code; ${life.complained()}`).to.equal(4);
  expect(life.complained().trim().split('\n'), life.complained()).to.have.lengthOf(1);
  return 'refused at the start';
}

/** Once it is ready or has said why it is not: whether the log is not the one that its followers know. */
async function isLost(life: Life, url: string): Promise<boolean> {
  let isReady = false;
  await until(
    'it is ready or says why not',
    async () => {
      isReady = (await fetch(`${url}/readyz`)).status === 200;
      return isReady || /cannot be used|"level":"error"/.test(life.printed());
    },
    SETTLED_MS,
  ).catch(async (error: unknown) => {
    const readiness = await (await fetch(`${url}/readyz`)).text();
    throw new Error(`${String(error)}\n${readiness}\n${life.printed()}`);
  });
  return !isReady && /LogLost.*accept-loss/.test(life.printed());
}

/** What is read of such a log may be anything; nothing is written to it. */
async function isLeftAlone(url: string, customers: readonly Customer[]): Promise<Outcome> {
  for (const customer of customers) expect((await buy(url, customer, 1)).last).not.to.equal('bought');
  expect((await fetch(`${url}/readyz`)).status, '/readyz').to.equal(503);
  return 'known as lost';
}

async function holdTo(url: string, customer: Customer): Promise<'whole' | 'unavailable'> {
  const seen = await lookAtAll(url, customer);
  const { customer: after, last } = await buy(url, customer, customer.cap);
  expect(after.bought.length, 'acknowledged in all').to.be.at.most(customer.cap);
  expect(last).to.be.oneOf(['at the cap', 'unavailable']);
  return last === 'unavailable' ? last : seen;
}
