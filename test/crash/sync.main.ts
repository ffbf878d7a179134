/**
 * Syncs the models of the market in DATA_DIR with a router at a plain address of this machine, and says when it begins.
 * With `half` it halts once the import is begun, before it adds what was staged, says so too, and waits to be killed.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createFetcher } from '../../infra/undici/fetcher.ts';
import { openMarket } from '../../src/composition/app.ts';
import { syncModels } from '../../src/importing/sync-models.ts';
import { createLog } from '../../src/logging/log.ts';
import { readConfig } from '../../src/settings/config.ts';

const [url = '', halts = ''] = process.argv.slice(2);
const market = await openMarket(readConfig(), createLog('silent'));
const fetcher = createFetcher({ isAllowed: () => true, protocols: ['http:'] });
const { commands } = market.services;
const run: typeof commands.run = async (decider, id, command, ...more) => {
  // As the importer writes them.
  const { type } = command as { type: string };
  if (halts === 'half' && type === 'AddBatches') {
    process.stdout.write('half\n');
    await delay(600_000);
  }
  return commands.run(decider, id, command, ...more);
};
process.stdout.write('open\n');
const services = { ...market.services, commands: { ...commands, run } };
const outcome = await syncModels(services, {
  fetcher,
  url,
  used: null,
  cause: { at: new Date().toISOString(), actor: 'scheduler', requestId: `sync-${randomUUID()}` },
  signal: new AbortController().signal,
});
await fetcher.close();
await market.close();
process.exitCode = outcome.kind === 'synced' ? 0 : 1;
