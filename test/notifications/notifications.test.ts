import { expect } from 'chai';
import { jobDecider } from '../../commands/job/job.ts';
import { z } from 'zod';
import { freezeAccount } from '../../src/operations/accounts/freeze-account.ts';
import { AGENT, now as timestamp } from '../support/job-flows.ts';
import { readAll } from '../support/event-log.ts';

import { notifying } from './notifying.ts';

const messageSchema = z.object({
  type: z.string(),
  data: z.looseObject({ percent: z.number().optional() }),
});
const DAY_MS = 24 * 60 * 60 * 1_000;

describe('Notifications', () => {
  const { world, api, listen, until, to, deliveriesOf, stop, verified } = notifying();

  it('are not sent while the account is frozen, and come once it is not any more', async () => {
    const key = await api().newKey({ account: 'to-be-frozen', scopes: ['trials:create'] });
    const { path, id } = await listen(key);
    const call = (commandId: string) => ({ at: timestamp(), actor: 'cli', requestId: 'test', commandId });
    const freeze = { type: 'FreezeAccount', reason: 'odd calls' } as const;
    const freezing = (command: Parameters<typeof freezeAccount>[2], name: string) =>
      freezeAccount(api().services, 'to-be-frozen', command, call(name));
    const jobId = await api().draft(key);
    await until(() => to(path).length === 1);
    await freezing(freeze, 'freeze');
    await api().services.commands.run(jobDecider, jobId, { type: 'CancelJob' }, call('cancel'));
    const errors = async () => {
      const of = { accountId: key.accountId, endpointId: id, limit: 10 };
      return (await api().services.deliveries.list(of)).map(({ lastError, state }) => [lastError, state]);
    };
    await until(async () => (await errors()).some(([error]) => error === 'account frozen'));
    expect(await errors()).to.deep.include(['account frozen', 'pending']);
    expect(to(path)).to.have.lengthOf(1);

    await freezing({ type: 'UnfreezeAccount' }, 'unfreeze');
    world.clockMs += 60_000;
    await until(() => to(path).length === 2);
    await until(async () => (await errors()).every(([error]) => error === null));
  });

  it('tell once a month that a mandate comes to 80 and to 100 % of its cap, and a denial, once for a flood', async () => {
    const { data } = (await api().get(`/v1/agents/${AGENT}`)).body;
    const price = z.object({ trialPriceCents: z.number() }).parse(data['pricing']).trialPriceCents;
    const terms = { maxMonthlyCents: 2 * price, maxPerTransactionCents: price };
    const scopes = ['trials:create', 'jobs:read', 'jobs:cancel'] as const;
    const key = await api().newKey({ account: 'alerted', scopes, terms });
    const { path } = await listen(key, ['mandate.denied', 'mandate.threshold']);
    const last = await api()
      .draft(key)
      .then(() => api().draft(key));
    // Given back and spent again: it comes to 100 % a second time.
    await api().post(`/v1/jobs/${last}/cancel`, {}, key);
    await until(async () =>
      (await api().get('/v1/key', key)).text.includes(`"spentThisPeriodCents":${price}`),
    );
    await api().draft(key);
    for (let n = 0; n < 3; n += 1) await api().post('/v1/trials', { agent: AGENT, brief: 'Too much.' }, key);
    const denials = async () => (await readAll(api().services.events, `denials-${key.mandateId}`)).length;
    await until(async () => (await denials()) === 3 && to(path).length >= 3);
    // Messages come in the order of the log: one to another address ends what was on its way.
    const after = await listen(key, ['job.cancelled']);
    await api().post(`/v1/jobs/${last}/cancel`, {}, key);
    const { id } = (await api().get('/v1/jobs?status=draft&limit=1', key)).body.data[0] ?? {};
    await api().post(`/v1/jobs/${String(id)}/cancel`, {}, key);
    await until(() => to(after.path).length === 1);
    const told = to(path).map(({ body }) => messageSchema.parse(JSON.parse(body)));
    expect(told.map(({ type, data: { percent } }) => [type, percent])).to.have.deep.members([
      ['mandate.threshold', 80],
      ['mandate.threshold', 100],
      ['mandate.denied', undefined],
    ]);
    const denial = told.find(({ type }) => type === 'mandate.denied');
    expect(denial?.data).to.deep.include({ keyId: key.keyId, reasons: ['monthly_cap'], amountCents: price });
  });

  it('tell each change of a job, signed so that the standard’s own library believes it', async () => {
    const { path, id, secret } = await listen();
    const jobId = await api().jobIn('completed');
    await until(() => to(path).length === 4);
    const messages = to(path).map((one) => verified(secret, one) as { type: string; data: { id: string } });
    expect(messages.map(({ type }) => type)).to.have.members([
      'job.drafted',
      'job.funded',
      'job.started',
      'job.completed',
    ]);
    expect(messages.every(({ data }) => data.id === jobId)).to.equal(true);
    const ids = new Set(to(path).map(({ headers }) => headers['webhook-id']));
    expect(ids.size).to.equal(4);
    expect(world.received.map(({ body }) => body).join('')).not.to.match(/checkout|record-created/);
    const listed = await api().get(`/v1/webhook-endpoints/${id}/deliveries?limit=3`, api().buyer);
    expect(listed.body.data).to.have.lengthOf(3);
    expect(listed.body.meta).to.include({ limit: 3, total: 4 });
    await stop(id);
  });

  it('tell only what was asked for, and nothing to other accounts', async () => {
    const stranger = await api().newKey({ scopes: ['trials:create', 'webhooks:manage'] });
    const [mine, theirs] = [await listen(api().buyer, ['job.cancelled']), await listen(stranger)];
    await api().jobIn('cancelled');
    await until(() => to(mine.path).length === 1);
    expect(to(mine.path)[0]?.body).to.include('job.cancelled');
    expect(to(theirs.path)).to.deep.equal([]);
    for (const [method, path] of [
      ['GET', `/v1/webhook-endpoints/${mine.id}/deliveries`],
      ['DELETE', `/v1/webhook-endpoints/${mine.id}`],
      ['GET', `/v1/webhook-endpoints/${mine.id}`],
      ['PATCH', `/v1/webhook-endpoints/${mine.id}`],
      ['POST', `/v1/webhook-endpoints/${mine.id}/test`],
      ['POST', `/v1/webhook-endpoints/${mine.id}/rotate-secret`],
      ['POST', `/v1/webhook-deliveries/${(await deliveriesOf(mine.id))[0]!.id}/redeliver`],
      ['GET', `/v1/webhook-endpoints/${api().buyer.accountId}/deliveries`],
    ] as const) {
      const body =
        method === 'POST' || method === 'PATCH'
          ? { rawBody: '{}', headers: { 'Content-Type': 'application/json' } }
          : {};
      const got = await api().send(method, path, { ...stranger, ...body });
      expect(got.status, path).to.equal(404);
    }
    await stop(mine.id);
  });

  it('go to the notifyUrl of the job, under the secret of the account', async () => {
    const issued = await api().post('/v1/notify-secret', {}, api().buyer);
    await api().services.projector.caughtUp();
    const notifyUrl = `https://${'x'.repeat(8)}.example/notify`;
    const jobId = await api().draft(api().buyer, { notifyUrl });
    const mine = async () => (await deliveriesOf(api().buyer.accountId)).find((one) => one.jobId === jobId);
    await until(async () => (await mine()) !== undefined);
    expect(await mine()).to.include({ url: notifyUrl, type: 'job.drafted' });
    expect(String(issued.body.data['secret'])).to.match(/^whsec_/);
  });

  it('are tried again until taken, and each try is on record', async () => {
    const { path, id } = await listen(api().buyer, ['job.cancelled']);
    world.answer = () => 500;
    await api().jobIn('cancelled');
    await until(async () => (await deliveriesOf(id))[0]?.attempts === 1);
    expect((await deliveriesOf(id))[0]).to.include({
      state: 'pending',
      lastStatus: 500,
      lastError: 'HTTP 500',
    });
    world.answer = () => 204;
    world.clockMs += 60_000;
    await until(async () => (await deliveriesOf(id))[0]?.state === 'delivered');
    expect(to(path)).to.have.length(2);
    expect(new Set(to(path).map(({ headers }) => headers['webhook-id'])).size).to.equal(1);
    await stop(id);
  });

  it('are given up after a day, and sent once more when asked', async () => {
    const { path, id } = await listen(api().buyer, ['job.cancelled']);
    world.answer = () => 500;
    await api().jobIn('cancelled');
    for (let tries = 1; (await deliveriesOf(id))[0]?.state !== 'failed'; tries += 1) {
      await until(async () => ((await deliveriesOf(id))[0]?.attempts ?? 0) >= tries);
      world.clockMs += 3 * 60 * 60 * 1_000;
    }
    const [failed] = await deliveriesOf(id);
    expect(failed?.attempts).to.be.within(5, 20);
    world.answer = () => 204;
    const again = await api().post(`/v1/webhook-deliveries/${failed!.id}/redeliver`, {}, api().buyer);
    expect(again.status).to.equal(202);
    await until(async () => (await deliveriesOf(id))[0]?.state === 'delivered');
    expect(to(path).at(-1)?.headers['webhook-id']).to.equal(failed!.id);
    await stop(id);
  });

  it('end at an address that is gone, and its owner is told elsewhere', async () => {
    const elsewhere = await listen();
    const { path, id } = await listen(api().buyer, ['job.cancelled']);
    world.answer = (asked) => (asked === path ? 410 : 204);
    await api().jobIn('cancelled');
    await until(() => to(elsewhere.path).some(({ body }) => body.includes('webhook_endpoint.disabled')));
    const listed = await api().get('/v1/webhook-endpoints?limit=100', api().buyer);
    const shown = [...listed.body.data].find((one) => one['id'] === id);
    expect(shown).to.include({ status: 'disabled', disabledReason: 'gone' });
    await stop(id);
    await stop(elsewhere.id);
  });

  it('end at an address that took nothing for a week', async () => {
    const { id } = await listen(api().buyer, ['job.cancelled']);
    world.answer = () => 500;
    await api().jobIn('cancelled');
    await until(async () => (await deliveriesOf(id))[0]?.attempts === 1);
    world.clockMs += 8 * DAY_MS;
    await api().jobIn('cancelled');
    await until(async () => {
      const listed = await api().get('/v1/webhook-endpoints?limit=100', api().buyer);
      return [...listed.body.data].some((one) => one['id'] === id && one['disabledReason'] === 'failing');
    });
    await stop(id);
  });

  it('are signed with every secret that was replaced within the last day', async () => {
    const { path, id, secret } = await listen(api().buyer, ['job.cancelled']);
    world.clockMs = 0;
    const rotated = await api().post(`/v1/webhook-endpoints/${id}/rotate-secret`, {}, api().buyer);
    const second = String(rotated.body.data['secret']);
    const third = await api().post(`/v1/webhook-endpoints/${id}/rotate-secret`, {}, api().buyer);
    const all = [secret, second, String(third.body.data['secret'])];
    expect(new Set(all)).to.have.property('size', 3);
    await api().services.projector.caughtUp();
    await api().jobIn('cancelled');
    await until(() => to(path).length === 1);
    for (const one of all) verified(one, to(path)[0]!);
    world.clockMs = 2 * DAY_MS;
    await api().jobIn('cancelled');
    await until(() => to(path).length === 2);
    expect(String(to(path)[1]!.headers['webhook-signature']).split(' ')).to.have.length(1);
    await stop(id);
  });
});
