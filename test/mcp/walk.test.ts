/** The whole path as a model would walk it, reading only what the tools tell. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { expect } from 'chai';
import type { MandateTerms } from '../../events/mandate-events.ts';
import { type JobCommand, jobDecider } from '../../commands/job/job.ts';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import { terms } from '../support/sample-mandate.ts';
import { call } from '../support/run-commands.ts';
import { data, type McpApi, refusal, SEEDING_TIMEOUT_MS, startMcp } from './mcp-fixture.ts';

describe('A buyer’s walk over MCP', () => {
  let api: McpApi;
  before(async function () {
    this.timeout(SEEDING_TIMEOUT_MS);
    api = await startMcp();
  });
  after(() => api.close());

  it('chooses, compares, checks, buys, is denied, reads why, retries and polls to the end', async () => {
    const buyer = await api.newKey({ terms: { maxPerTransactionCents: 100_000, maxMonthlyCents: 100_000 } });
    const client: Client = await api.connect(buyer.key);

    const { agents } = await data(client, 'search_agents', {
      sort: 'priceCents',
      tier: 'verified',
      limit: 5,
    });
    const candidates = agents.slice(0, 3).map(({ slug }) => slug);
    const { differing, fields } = await data(client, 'compare_agents', { slugs: candidates });
    expect(differing).to.include('verification.trustScore');
    const scores = fields.find(({ field }) => field === 'verification.trustScore')!.values;
    const agent = candidates[scores.indexOf(Math.max(...scores))] ?? '';
    const evidence = await data(client, 'get_agent_evidence', { slug: agent });
    expect(evidence.checks).to.be.an('array').that.is.not.empty;
    for (const check of evidence.checks) {
      if (!['pass', 'not_applicable'].includes(check.result))
        expect(check.toPass, check.id).to.be.a('string');
    }
    const price = agents.find(({ slug }) => slug === agent)!.pricing.trialPriceCents;

    const cheap = { agent, brief: 'A first look.', maxAmountCents: price - 1, idempotencyKey: 'walk-1' };
    expect(await refusal(client, 'create_trial_run', cheap)).to.deep.include({
      code: 'price_changed',
      details: [
        {
          path: 'maxAmountCents',
          message: `the price is ${price}`,
          limit: String(price - 1),
          value: String(price),
        },
      ],
    });

    await amend(api, buyer.mandateId, { maxPerTransactionCents: 100_000, maxMonthlyCents: price });
    const first = { agent, brief: 'A first look.', maxAmountCents: price, idempotencyKey: 'walk-2' };
    const job = await data(client, 'create_trial_run', first);
    expect(job).to.include({ status: 'draft', amountCents: price });
    expect(job.fundingUrl).to.match(/\/checkout\/job_/);

    const second = { ...first, brief: 'A second look.', idempotencyKey: 'walk-3' };
    const denied = await refusal(client, 'create_trial_run', second);
    expect(denied).to.include({ code: 'mandate_denied', reason: 'monthly_cap' });
    expect(denied.mandateState).to.include({ maxMonthlyCents: price, remainingThisPeriodCents: 0 });
    expect(denied.told).to.include(
      'ask the user to raise the cap and call again with the same idempotencyKey',
    );

    await amend(api, buyer.mandateId, { maxPerTransactionCents: 100_000, maxMonthlyCents: 2 * price });
    const bought = await data(client, 'create_trial_run', second);
    const retried = await client.callTool({ name: 'create_trial_run', arguments: second });
    expect(retried.structuredContent).to.deep.equal(bought);
    expect(retried._meta).to.deep.equal({ 'bourse/replayed': true });
    expect(
      (await refusal(client, 'create_trial_run', { ...second, idempotencyKey: 'walk-4' })).reason,
    ).to.equal('monthly_cap');

    const seen: string[] = [bought.status];
    for (const step of TO_THE_END) {
      await api.services.commands.run(jobDecider, bought.id, step, call({ at: new Date().toISOString() }));
      seen.push((await data(client, 'get_job_status', { jobId: bought.id })).status);
    }
    expect(seen).to.deep.equal(['draft', 'funded', 'running', 'completed']);
  });
});

/** What the world does meanwhile: the user pays, the agency works. */
const TO_THE_END: readonly JobCommand[] = [
  { type: 'FundJob', payment: { provider: 'test', reference: 'pay_1', amountCents: 1 } },
  { type: 'StartJob' },
  { type: 'CompleteJob' },
];

/** The owner of the key changes its mandate. */
async function amend({ services }: McpApi, mandateId: string, changed: Partial<MandateTerms>): Promise<void> {
  const command = { type: 'AmendMandate', changes: terms(changed) } as const;
  await services.commands.run(mandateDecider, mandateId, command, call({ at: new Date().toISOString() }));
}
