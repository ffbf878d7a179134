/** Two nodes behind any balancer: what must hold for one holds for both together. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { z } from 'zod';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { engineSets, type RunningEngines, withEngines } from '../support/engine-sets.ts';
import { inMarket, prepareBuyers } from '../support/own-market.ts';
import { netCents } from '../support/run-commands.ts';

const PRICE_CENTS = 1_900;
const RATE_LIMIT = 60;

const made = z.object({ data: z.object({ id: z.string(), status: z.literal('draft') }) });
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
    let send: (node: number, idempotencyKey: string) => Promise<{ status: number; body: unknown }>;

    before(async function () {
      this.timeout(120_000);
      running = await start();
      program = await buildProgram();
      const [buyer] = await inMarket(running.settings, (market) => prepareBuyers(market, [10 * PRICE_CENTS]));
      mandateId = buyer!.mandateId;
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
      this.timeout(60_000);
      const key = randomUUID();
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => send(i, key)));
      const jobs = answers.map(({ status, body }) => {
        expect(status, JSON.stringify(body)).to.equal(201);
        return made.parse(body).data.id;
      });
      expect(new Set(jobs).size).to.equal(1);
    });

    it('let exactly as much of 200 spends at once pass as the cap still allows', async function () {
      this.timeout(120_000);
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

    it(`${engines.isShared ? 'share' : 'each count'} the public rate limit`, async () => {
      const asked = Array.from({ length: 3 * RATE_LIMIT }, (_, i) => fetch(`${urls[i % 2]}/v1/methodology`));
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      const allowed = engines.isShared ? RATE_LIMIT : 2 * RATE_LIMIT;
      expect(statuses.filter((status) => status === 200)).to.have.lengthOf(allowed);
      expect(statuses.filter((status) => status === 429)).to.have.lengthOf(3 * RATE_LIMIT - allowed);
    });
  });
}

async function trial(
  url: string,
  apiKey: string,
  idempotencyKey: string,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}/v1/trials`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${apiKey}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': idempotencyKey,
    },
    body: JSON.stringify({ agent: 'invoice-matcher', brief: 'Match.' }),
  });
  return { status: response.status, body: await response.json() };
}
