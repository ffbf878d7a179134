/** Accounts whose keys make keys, and the requests that do. */
import type { Scope } from '../../src/operations/operation.ts';
import type { TestAnswer, TestKey } from '../support/api.ts';
import { AGENT, type JobApi, startJobApi } from '../support/job-flows.ts';

export const SCOPES: Scope[] = ['keys:manage', 'trials:create', 'jobs:read', 'mandate:read'];
export const OWN = { maxPerTransactionCents: 5_000, maxMonthlyCents: 20_000 };
export const MANDATE = {
  maxPerTransactionCents: 5_000,
  maxMonthlyCents: 8_000,
  allowedActions: ['trial:create'],
};

/** Registers the hooks that start and stop the API. */
export function managingKeys() {
  let api: JobApi;
  let accounts = 0;
  const lastAccount = (): string => `managed-${accounts}`;
  const newAccount = (): string => {
    accounts += 1;
    return lastAccount();
  };
  before(async () => (api = await startJobApi()));
  after(() => api.close());

  const newManager = (): Promise<TestKey> =>
    api.newKey({ account: newAccount(), scopes: SCOPES, terms: OWN });
  const make = (manager: { key: string }, more: object = {}, headers = {}): Promise<TestAnswer> => {
    const body = { name: 'Buyer', scopes: ['trials:create', 'jobs:read'], mandate: MANDATE, ...more };
    return api.post('/v1/keys', body, { key: manager.key, headers });
  };
  const buy = (key: string) => api.post('/v1/trials', { agent: AGENT, brief: 'Do it.' }, { key });
  const made = async (manager: { key: string }, more: object = {}) => {
    const { status, text, body } = await make(manager, more);
    if (status !== 201) throw new Error(text);
    return { id: String(body.data['id']), key: String(body.data['apiKey']) };
  };
  const paths = ({ body }: TestAnswer) => body.error.details?.map(({ path }) => path);
  const patch = (manager: { key: string }, id: string, changes: object) =>
    api.send('PATCH', `/v1/keys/${id}`, {
      key: manager.key,
      headers: { 'Content-Type': 'application/json' },
      rawBody: JSON.stringify(changes),
    });
  const act = (manager: { key: string }, id: string, action: string, body: object = {}, headers = {}) =>
    api.post(`/v1/keys/${id}/${action}`, body, { key: manager.key, headers });

  return { api: (): JobApi => api, newAccount, lastAccount, newManager, make, buy, made, paths, patch, act };
}
