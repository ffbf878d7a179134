/** Whoever waits for an answer is told it only if its key may still have it when it comes. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { keyDecider } from '../../commands/key/key.ts';
import { MOMENT_MS } from '../../src/calling/admission.ts';
import { freezeKey } from '../../src/operations/keys/freeze-key.ts';
import { revokeKey } from '../../src/operations/keys/revoke-key.ts';
import type { Scope } from '../../src/operations/operation.ts';
import type { TestAnswer, TestKey } from '../support/api.ts';
import { type JobApi, now, payFor, startJobApi } from '../support/job-flows.ts';
import { until } from '../support/until.ts';

const FREEZE = { type: 'FreezeApiKey', by: 'owner', reason: 'odd calls' } as const;

describe('A key that waits for a job', () => {
  let api: JobApi;
  before(async () => (api = await startJobApi()));
  after(() => api.close());

  const cause = () => ({ at: now(), actor: 'cli', requestId: 'test', commandId: randomUUID() });
  const newKey = (): Promise<TestKey> =>
    api.newKey({ account: 'the-buyer', scopes: ['trials:create', 'jobs:read'] });
  const takeScopes = (key: TestKey, scopes: Scope[]) =>
    api.services.commands.run(keyDecider, key.keyId, { type: 'AmendApiKey', changes: { scopes } }, cause());

  /** What it is told of a job that was paid while it waited, after something else happened. */
  async function told(key: TestKey, meanwhile: () => Promise<unknown>): Promise<TestAnswer> {
    const jobId = await api.draft();
    const waiting = api.get(`/v1/jobs/${jobId}?wait=60`, key);
    await until('it waits', () => api.services.jobWatch.waiting() > 0);
    const sinceMs = performance.now();
    await meanwhile();
    await api.services.projector.caughtUp();
    await until('a moment has passed', () => performance.now() - sinceMs > MOMENT_MS);
    await payFor(api, jobId);
    return waiting;
  }

  it('is told of it where it is as good as before, with its links', async () => {
    const { status, body, text } = await told(await newKey(), async () => {});
    expect([status, body.data['status']], text).to.deep.equal([200, 'funded']);
    expect(body.data['recordWebhookUrl']).to.be.a('string');
  });

  it('is told nothing of it where it was frozen or revoked, or lost its scope, meanwhile', async () => {
    const [frozen, revoked, amended] = [await newKey(), await newKey(), await newKey()];
    const answers = [
      await told(frozen, () => freezeKey(api.services, frozen.keyId, FREEZE, cause())),
      await told(revoked, () => revokeKey(api.services, revoked.keyId, 'lost', cause())),
      await told(amended, () => takeScopes(amended, ['trials:create'])),
    ];
    expect(answers.map(({ status, body }) => [status, body.error?.code])).to.deep.equal([
      [403, 'forbidden'],
      [401, 'api_key_invalid'],
      [403, 'scope_missing'],
    ]);
  });

  it('is shown no link that acts where it lost the scope to act meanwhile', async () => {
    const key = await newKey();
    const { status, body, text } = await told(key, () => takeScopes(key, ['jobs:read']));
    expect([status, body.data['status']], text).to.deep.equal([200, 'funded']);
    expect([body.data['recordWebhookUrl'], body.data['fundingUrl']]).to.deep.equal([null, null]);
  });
});
