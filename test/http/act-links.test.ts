import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { SIGNING_SECRET } from '../support/memory-market.ts';
import { recordDecider } from '../../commands/record/record.ts';
import { LINK_SCOPE } from '../../src/operations/jobs/act-link.ts';
import { cancelJob } from '../../src/operations/jobs/change-own-job.ts';
import { createTrial } from '../../src/operations/jobs/create-trial.ts';
import { revokeKey } from '../../src/operations/keys/revoke-key.ts';
import { streamIdOf } from '../../src/commanding/command-runner.ts';
import type { TestAnswer, TestKey } from '../support/api.ts';
import { readAll } from '../support/event-log.ts';
import { type JobApi, now, startJobApi } from '../support/job-flows.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

describe('Links that act on a job', () => {
  let api: JobApi;
  let nowMs = Date.now();
  let reader: TestKey;
  before(async () => {
    api = await startJobApi({ now: () => nowMs });
    reader = await api.newKey({ account: 'the-buyer', scopes: ['jobs:read'] });
  });
  after(() => api.close());
  beforeEach(() => (nowMs = Date.now()));

  interface Links {
    readonly funding: URL;
    readonly record: string;
  }
  const linksOf = async (jobId: string, key: TestKey = api.buyer): Promise<Links> => {
    const { data } = (await api.get(`/v1/jobs/${jobId}`, key)).body;
    const { fundingUrl, recordWebhookUrl } = data;
    return {
      funding: new URL(String(fundingUrl), 'http://none'),
      record: new URL(String(recordWebhookUrl)).pathname,
    };
  };
  const submit = (jobId: string, action: 'pay' | 'cancel', fields: Record<string, string>) =>
    api.send('POST', `/checkout/${jobId}/${action}`, {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      rawBody: new URLSearchParams(fields).toString(),
    });
  const tell = (path: string): Promise<TestAnswer> => api.post(path, { recordId: 'R-1' });
  const actorsOf = async (jobId: string): Promise<readonly string[]> =>
    (await readAll(api.services.events, `job-${jobId}`)).map(({ meta }) => meta.actor);
  const param = ({ funding }: Links, name: string): string => funding.searchParams.get(name) ?? '';

  it('are shown to keys that may act, and not to readers: alone, in lists, and over MCP', async () => {
    const jobId = await api.draft();
    await api.services.projector.caughtUp();
    const tool = { name: 'get_job_status', arguments: { jobId } };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool };
    const overMcp = async (key: TestKey) =>
      (await api.post('/mcp', call, { ...key, headers: { 'MCP-Protocol-Version': '2025-06-18' } })).text;
    const listed = async (key: TestKey) =>
      (await api.get('/v1/jobs', key)).body.data.find(({ id }) => id === jobId);
    for (const shown of [(await api.get(`/v1/jobs/${jobId}`, reader)).body.data, await listed(reader)])
      expect(shown).to.include({ fundingUrl: null, recordWebhookUrl: null });
    for (const shown of [(await api.get(`/v1/jobs/${jobId}`, api.buyer)).body.data, await listed(api.buyer)])
      expect(JSON.stringify(shown)).to.include('/checkout/').and.include('/record-created/');
    expect(await overMcp(reader))
      .to.include(jobId)
      .and.not.include('/checkout/')
      .and.not.include('/record-');
    expect(await overMcp(api.buyer)).to.include('/checkout/');
  });

  it('have tags of their own for who may act and who may read', async () => {
    const jobId = await api.draft();
    const { headers } = await api.get(`/v1/jobs/${jobId}`, api.buyer);
    const has = { 'If-None-Match': headers.get('ETag') ?? '' };
    expect((await api.get(`/v1/jobs/${jobId}`, { ...api.buyer, headers: has })).status).to.equal(304);
    expect((await api.get(`/v1/jobs/${jobId}`, { ...reader, headers: has })).status).to.equal(200);
  });

  it('do what they are for: what pays does not cancel, and what cancels does not pay', async () => {
    const jobId = await api.draft();
    const links = await linksOf(jobId);
    const [t, c] = [param(links, 't'), param(links, 'c')];
    for (const fields of [{ t }, { t, c: t }, { t: c, c: t }] as Record<string, string>[])
      expect((await submit(jobId, 'cancel', fields)).status).to.equal(403);
    expect((await submit(jobId, 'pay', { t: c })).status).to.equal(403);
    const record = links.record.split('.').slice(1).join('.');
    expect((await submit(jobId, 'pay', { t: record })).status).to.equal(403);
    expect((await api.job(jobId)).status).to.equal('draft');
    expect((await submit(jobId, 'cancel', { t, c })).status).to.equal(303);
    expect((await api.job(jobId)).status).to.equal('cancelled');
  });

  it('cancel only if the key that made them may', async () => {
    const payer = await api.newKey({ scopes: ['trials:create', 'jobs:read'] });
    const jobId = await api.draft(payer);
    const links = await linksOf(jobId, payer);
    expect(links.funding.searchParams.has('c')).to.equal(false);
    const page = await api.get(links.funding.pathname + links.funding.search);
    expect(page.text).to.include('/pay"').and.not.include('/cancel"');
    expect((await submit(jobId, 'cancel', { t: param(links, 't') })).status).to.equal(403);
  });

  it('name who acted: the holder of a link, and the key that made it', async () => {
    const jobId = await api.draft();
    const links = await linksOf(jobId);
    await submit(jobId, 'pay', { t: param(links, 't') });
    expect((await actorsOf(jobId)).at(-1)).to.equal(`checkout-link:${api.buyer.keyId}`);
    await tell((await linksOf(jobId)).record);
    const cipher = await api.services.privateTexts.cipherOf(api.buyer.accountId);
    const id = `${jobId}-${cipher?.digest('R-1').slice(0, 32)}`;
    const [record] = await readAll(api.services.events, streamIdOf(recordDecider, id));
    expect(record?.meta.actor).to.equal(`record-link:${api.buyer.keyId}`);
  });

  it('cannot be altered: not their key, nor their generation, nor their end', async () => {
    const jobId = await api.draft();
    const [key = '', generation = '', end = '', ...rest] = param(await linksOf(jobId), 't').split('.');
    const signature = rest.join('.');
    const other = reader.keyId.slice('key_'.length);
    for (const parts of [
      [other, generation, end, signature],
      [key, '1', end, signature],
      [key, generation, String(Number(end) + 1), signature],
      [key, generation, '-', signature],
      [key, generation, signature],
      [key, '00', end, signature],
      [key, generation, `0${end}`, signature],
      [key, generation, end, signature.toLowerCase()],
    ])
      expect((await submit(jobId, 'pay', { t: parts.join('.') })).status, parts.join(' ')).to.equal(403);
    expect((await submit(jobId, 'pay', { t: [key, generation, end, signature].join('.') })).status).to.equal(
      303,
    );
  });

  it('are void once their owner has withdrawn them; new ones work', async () => {
    const jobId = await api.jobIn('funded');
    const draftId = await api.draft();
    const [old, oldDraft] = [await linksOf(jobId), await linksOf(draftId)];
    expect((await api.post(`/v1/jobs/${jobId}/withdraw-links`, {}, reader)).status).to.equal(403);
    for (const id of [jobId, draftId])
      expect((await api.post(`/v1/jobs/${id}/withdraw-links`, {}, api.buyer)).status).to.equal(200);
    expect((await tell(old.record)).status).to.equal(404);
    expect((await submit(draftId, 'pay', { t: param(oldDraft, 't') })).status).to.equal(403);
    const cancelling = { t: param(oldDraft, 't'), c: param(oldDraft, 'c') };
    expect((await submit(draftId, 'cancel', cancelling)).status).to.equal(403);
    expect((await api.get(oldDraft.funding.pathname + oldDraft.funding.search)).status).to.equal(403);
    expect((await tell((await linksOf(jobId)).record)).status).to.equal(202);
    expect((await submit(draftId, 'pay', { t: param(await linksOf(draftId), 't') })).status).to.equal(303);
    expect((await api.job(draftId)).status).to.equal('funded');
  });

  it('are void once the key that made them is revoked', async () => {
    const leaked = await api.newKey({ account: 'the-buyer', scopes: ['trials:create', 'jobs:read'] });
    const [draftId, jobId] = [await api.draft(leaked), await api.jobIn('funded', leaked)];
    const [draft, job] = [await linksOf(draftId, leaked), await linksOf(jobId, leaked)];
    const cause = { at: now(), actor: 'cli', requestId: 'test', commandId: 'revoke the leaked key' };
    await revokeKey(api.services, leaked.keyId, 'It leaked.', cause);
    expect((await submit(draftId, 'pay', { t: param(draft, 't') })).status).to.equal(403);
    expect((await tell(job.record)).status).to.equal(404);
    expect((await tell((await linksOf(jobId)).record)).status).to.equal(202);
  });

  it('do no more than the key that made them may by now: not what its scopes no longer allow', async () => {
    const scopes = ['trials:create', 'jobs:read', 'jobs:cancel'] as const;
    const manager = await api.newKey({ account: 'the-buyer', scopes: [...scopes, 'keys:manage'] });
    const maker = await api.newKey({ account: 'the-buyer', scopes: [...scopes] });
    const [draftId, jobId] = [await api.draft(maker), await api.jobIn('funded', maker)];
    const [draft, job] = [await linksOf(draftId, maker), await linksOf(jobId, maker)];
    const page = draft.funding.pathname + draft.funding.search;
    const [pay, cancel] = [{ t: param(draft, 't') }, { t: param(draft, 't'), c: param(draft, 'c') }];
    const allow = async (...allowed: string[]) => {
      const path = `/v1/keys/${maker.keyId}`;
      const headers = { 'Content-Type': 'application/json' };
      const rawBody = JSON.stringify({ scopes: allowed });
      expect((await api.send('PATCH', path, { ...manager, headers, rawBody })).status).to.equal(200);
    };
    await allow('jobs:read');
    expect((await submit(draftId, 'pay', pay)).status).to.equal(403);
    expect((await submit(draftId, 'cancel', cancel)).status).to.equal(403);
    expect((await tell(job.record)).status).to.equal(404);
    expect((await api.get(page)).status).to.equal(403);
    await allow('jobs:read', 'trials:create');
    expect((await api.get(page)).text)
      .to.include('/pay"')
      .and.not.include('/cancel"');
    expect((await submit(draftId, 'cancel', cancel)).status).to.equal(403);
    expect((await tell(job.record)).status).to.equal(202);
    expect((await api.job(draftId)).status).to.equal('draft');
    await allow('jobs:read', 'jobs:cancel');
    expect((await submit(draftId, 'pay', pay)).status).to.equal(403);
    expect((await submit(draftId, 'cancel', cancel)).status).to.equal(303);
    expect((await api.job(draftId)).status).to.equal('cancelled');
  });

  it('end with the key that made them', async () => {
    const scopes = ['trials:create', 'jobs:read', 'jobs:cancel'] as const;
    const expiresAt = new Date(nowMs + 60 * 60_000).toISOString();
    const maker = await api.newKey({ account: 'the-buyer', scopes: [...scopes], expiresAt });
    const [draftId, jobId] = [await api.draft(maker), await api.jobIn('funded', maker)];
    const [draft, job] = [await linksOf(draftId, maker), await linksOf(jobId, maker)];
    nowMs = Date.parse(expiresAt);
    const [t, c] = [param(draft, 't'), param(draft, 'c')];
    expect((await submit(draftId, 'pay', { t })).status).to.equal(403);
    expect((await submit(draftId, 'cancel', { t, c })).status).to.equal(403);
    expect((await tell(job.record)).status).to.equal(404);
    nowMs -= 1;
    expect((await tell(job.record)).status).to.equal(202);
    expect((await submit(draftId, 'pay', { t })).status).to.equal(303);
  });

  it('need the scope of the operation that does the same', () => {
    expect(LINK_SCOPE).to.deep.equal({
      'checkout-pay': createTrial.scope,
      'checkout-cancel': cancelJob.scope,
      'record-link': createTrial.scope,
    });
  });

  it('end: a payment with its draft, records 90 days after the job', async () => {
    const draftId = await api.draft();
    const links = await linksOf(draftId);
    const jobId = await api.jobIn('completed');
    const { record } = await linksOf(jobId);
    nowMs += DAY_MS + 60_000;
    await submit(draftId, 'pay', { t: param(links, 't') });
    expect((await api.job(draftId)).status).to.equal('draft');
    nowMs = Date.now() + 90 * DAY_MS - 60_000;
    expect((await tell(record)).status).to.equal(202);
    nowMs = Date.now() + 90 * DAY_MS + 60_000;
    const late = await api.post(record, { recordId: 'R-2' });
    expect([late.status, late.body.error.code]).to.deep.equal([409, 'job_state']);
  });

  describe('of an earlier release', () => {
    it('keep working, and say of themselves as much as they know', async () => {
      const [paidId, cancelledId] = [await api.draft(), await api.draft()];
      for (const [jobId, action] of [
        [paidId, 'pay'],
        [cancelledId, 'cancel'],
      ] as const) {
        const t = formerSignature('checkout', jobId);
        expect((await api.get(`/checkout/${jobId}?t=${t}`)).text).to.include(`/${action}"`);
        expect((await submit(jobId, action, { t })).status).to.equal(303);
      }
      expect((await api.job(paidId)).status).to.equal('funded');
      expect((await api.job(cancelledId)).status).to.equal('cancelled');
      expect((await actorsOf(paidId)).at(-1)).to.equal('checkout-link');
      const token = `${paidId.slice('job_'.length)}_${formerSignature('record-webhook', paidId)}`;
      expect((await tell(`/webhooks/record-created/${token}`)).status).to.equal(202);
    });

    it('are void once withdrawn', async () => {
      const jobId = await api.draft();
      const t = formerSignature('checkout', jobId);
      await api.post(`/v1/jobs/${jobId}/withdraw-links`, {}, api.buyer);
      expect((await submit(jobId, 'pay', { t })).status).to.equal(403);
    });
  });
});

/** As earlier releases signed: by the secret itself. */
function formerSignature(purpose: string, subject: string): string {
  return createHmac('sha256', SIGNING_SECRET).update(`${purpose}\n${subject}`).digest('base64url');
}
