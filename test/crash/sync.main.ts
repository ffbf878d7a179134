/** Syncs the models of the market in DATA_DIR with a router at a plain address of this machine, and says when it begins. */
import { randomUUID } from 'node:crypto';
import { createFetcher } from '../../infra/undici/fetcher.ts';
import { openMarket } from '../../src/composition/app.ts';
import { syncModels } from '../../src/importing/sync-models.ts';
import { createLog } from '../../src/logging/log.ts';
import { readConfig } from '../../src/settings/config.ts';

const [url = ''] = process.argv.slice(2);
const market = await openMarket(readConfig(), createLog('silent'));
const fetcher = createFetcher({ isAllowed: () => true, protocols: ['http:'] });
process.stdout.write('open\n');
const outcome = await syncModels(market.services, {
  fetcher,
  url,
  used: null,
  cause: { at: new Date().toISOString(), actor: 'scheduler', requestId: `sync-${randomUUID()}` },
  signal: new AbortController().signal,
});
await fetcher.close();
await market.close();
process.exitCode = outcome.kind === 'synced' ? 0 : 1;
