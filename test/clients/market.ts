/** A market of the built program for clients to call. */
import { SCOPES } from '../../src/operations/operation.ts';
import { projectRoot } from '../support/project-root.ts';
import { serveMarket } from '../support/served-market.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { sh } from './client.ts';

export interface ClientsMarket {
  /** The environment of a client: addresses, and keys of a buyer of its own. */
  readonly newcomer: () => Promise<Readonly<Record<string, string>>>;
  readonly stop: () => Promise<void>;
}

const AGENCY = 'ledgerworks';
const BUYER_SCOPES = 'trials:create,jobs:read,jobs:cancel,mandate:read,webhooks:manage';

/** Clients that try everything come often, without a good key too, and leave much behind. */
const WITHOUT_LIMITS = {
  PUBLIC_RATE_LIMIT: '100000',
  FAILED_CREDENTIAL_LIMIT: '100000',
  MAX_WEBHOOK_ENDPOINTS: '1000',
};

export async function startMarket(): Promise<ClientsMarket> {
  const data = await tempFolder();
  await sh(projectRoot, 'npm', ['run', '--silent', 'build']);
  const settings = { DATA_DIR: data.path, ...WITHOUT_LIMITS };
  const market = await serveMarket(settings, undefined, ['dist/main.js']);
  const bourse = (...args: readonly string[]): Promise<string> =>
    sh(projectRoot, 'node', ['dist/bourse.js', ...args], market.env);
  const key = async (...args: readonly string[]): Promise<string> => {
    const printed = await bourse('key', 'create', '--json', ...args);
    return (JSON.parse(printed) as { readonly key: string }).key;
  };
  let clients = 0;
  return {
    async newcomer() {
      clients += 1;
      const buying = [
        '--allow',
        'trial:create',
        '--max-per-transaction',
        '100000',
        '--max-monthly',
        '1000000',
      ];
      const named = ['--account', `client-${clients}`, '--name', 'a client'];
      const fulfilling = ['--account', AGENCY, '--name', 'fulfilment', '--agency', AGENCY];
      const operating = ['--account', 'operators', '--name', 'operator', '--scopes', 'operator:write'];
      const everything = ['--account', `all-${clients}`, '--name', 'all', '--agency', AGENCY];
      const reader = `reader-${clients}`;
      const readerKey = await key('--account', reader, '--name', 'a reader', '--scopes', 'data:read');
      await bourse('plan', 'set', reader, 'pro');
      return {
        BASE_URL: market.url,
        AGENT: 'invoice-matcher',
        BUYER_KEY: await key(...named, '--scopes', BUYER_SCOPES, ...buying),
        AGENCY_KEY: await key(...fulfilling, '--scopes', 'provider:fulfil'),
        OPERATOR_KEY: await key(...operating),
        ALL_KEY: await key(...everything, '--scopes', SCOPES.join(), ...buying),
        READER_KEY: readerKey,
        NEW_SLUG: `agency-of-client-${clients}`,
      };
    },
    async stop() {
      await market.stop();
      await data.remove();
    },
  };
}
