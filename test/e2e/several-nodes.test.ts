/** Two nodes behind any balancer: what must hold for one holds for both together. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { z } from 'zod';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { ask, settled } from '../support/fleet.ts';
import { engineSets, type RunningEngines, withEngines } from '../support/engine-sets.ts';
import { inMarket, prepareBuyers } from '../support/own-market.ts';
import { netCents } from '../support/run-commands.ts';

const PRICE_CENTS = 1_900;
const RATE_LIMIT = 60;
/** Without waiting for the view, half of the rounds went wrong. */
const LIST_ROUNDS = 10;

const made = z.object({ data: z.object({ id: z.string(), status: z.literal('draft') }) });
const TRIAL = { agent: 'invoice-matcher', brief: 'Match.' };
const identified = z.object({ data: z.object({ id: z.string() }) });
const listed = z.object({ data: z.array(z.object({ id: z.string(), status: z.string() })) });
const denied = z.object({
  error: z.object({
    code: z.literal('mandate_denied'),
    reason: z.literal('monthly_cap'),
    mandateState: z.object({ spentThisPeriodCents: z.number() }),
  }),
});

for (const engines of engineSets) {
  withEngines(`Two nodes on ${engines.name}`, engines, (start) => {
    let running: RunningEngines;
    let program: Program;
    let nodes: readonly Life[] = [];
    let urls: readonly string[];
    let mandateId: string;
    let lister: string;
    let send: (node: number, idempotencyKey: string) => Promise<{ status: number; body: unknown }>;

    before(async function () {
      this.timeout(240_000);
      running = await start();
      program = await buildProgram();
      const [buyer, other] = await inMarket(running.settings, (market) =>
        prepareBuyers(market, [10 * PRICE_CENTS, 10_000_000]),
      );
      mandateId = buyer!.mandateId;
      lister = other!.key;
      const settings = { ...running.settings, PUBLIC_RATE_LIMIT: String(RATE_LIMIT) };
      nodes = [program.start(settings), program.start(settings)];
      urls = await Promise.all(nodes.map(({ url }) => url));
      send = (node, idempotencyKey) => trial(urls[node % urls.length]!, buyer!.key, idempotencyKey);
    });
    after(async () => {
      const exits = await Promise.all(nodes.map((node) => node.stop()));
      await program.remove();
      await running.close();
      expect(exits).to.deep.equal([0, 0]);
    });

    it('do once what is asked twenty times at once under one Idempotency-Key', async function () {
      this.timeout(240_000);
      const key = randomUUID();
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => send(i, key)));
      const jobs = answers.map(({ status, body }) => {
        expect(status, JSON.stringify(body)).to.equal(201);
        return made.parse(body).data.id;
      });
      expect(new Set(jobs).size).to.equal(1);
    });

    it('let exactly as much of 200 spends at once pass as the cap still allows', async function () {
      this.timeout(240_000);
      const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => send(i, randomUUID())));
      expect(answers.filter(({ status }) => status === 201)).to.have.lengthOf(9);
      for (const { status, body } of answers) {
        if (status === 201) continue;
        expect(status, JSON.stringify(body)).to.equal(403);
        expect(denied.parse(body).error.mandateState.spentThisPeriodCents).to.equal(10 * PRICE_CENTS);
      }
      await inMarket(running.settings, async ({ services }) => {
        expect(await netCents(services.events, mandateId)).to.equal(10 * PRICE_CENTS);
      });
    });

    it('show in a list at one node at once what the other has said', async function () {
      this.timeout(600_000);
      for (let round = 0; round < LIST_ROUNDS; round += 1) {
        const [told = '', asked = ''] = round % 2 === 0 ? urls : [...urls].reverse();
        const job = await idOf(ask(`${told}/v1/trials`, lister, TRIAL));
        expect(await statusIn(`${asked}/v1/jobs`, job), `round ${round}`).to.equal('draft');
        expect((await ask(`${asked}/v1/jobs/${job}/cancel`, lister, {})).status).to.equal(200);
        expect(await statusIn(`${told}/v1/jobs`, job), `round ${round}`).to.equal('cancelled');
        const endpoints = '/v1/webhook-endpoints';
        const endpoint = await idOf(ask(told + endpoints, lister, { url: 'https://buyer.example/hooks' }));
        expect(await statusIn(asked + endpoints, endpoint), `round ${round}`).to.equal('enabled');
        await settled(() => remove(`${told}${endpoints}/${endpoint}`, lister));
        expect(await statusIn(asked + endpoints, endpoint), `round ${round}`).to.equal('not listed');
      }
    });

    async function statusIn(url: string, id: string): Promise<string> {
      const answer = await ask(`${url}?limit=100`, lister);
      const text = await answer.text();
      expect(answer.status, text).to.equal(200);
      return listed.parse(JSON.parse(text)).data.find((one) => one.id === id)?.status ?? 'not listed';
    }

    it(`${engines.isShared ? 'share' : 'each count'} the public rate limit`, async () => {
      const asked = Array.from({ length: 3 * RATE_LIMIT }, (_, i) => fetch(`${urls[i % 2]}/v1/methodology`));
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      const allowed = engines.isShared ? RATE_LIMIT : 2 * RATE_LIMIT;
      const expected = { 200: allowed, 429: 3 * RATE_LIMIT - allowed };
      expect(countsOf(statuses)).to.deep.equal(expected);
    });
  });
}

async function trial(
  url: string,
  apiKey: string,
  idempotencyKey: string,
): Promise<{ status: number; body: unknown }> {
  const response = await settled(() =>
    fetch(`${url}/v1/trials`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${apiKey}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': idempotencyKey,
      },
      body: JSON.stringify(TRIAL),
    }),
  );
  return { status: response.status, body: await response.json() };
}

function countsOf(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function remove(url: string, apiKey: string): Promise<Response> {
  return fetch(url, { method: 'DELETE', headers: { Authorization: `Bearer ${apiKey}` } });
}

async function idOf(asked: Promise<Response>): Promise<string> {
  const text = await (await asked).text();
  return identified.parse(JSON.parse(text), { error: () => text }).data.id;
}
