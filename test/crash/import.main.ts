/** Imports a file into the tools of the market in DATA_DIR, and says so when it begins. */
import { createReadStream } from 'node:fs';
import { openMarket } from '../../src/composition/app.ts';
import { importRows } from '../../src/importing/import-rows.ts';
import { createLog } from '../../src/logging/log.ts';
import { readConfig } from '../../src/settings/config.ts';

const [file = ''] = process.argv.slice(2);
const market = await openMarket(readConfig(), createLog('silent'));
process.stdout.write('open\n');
const outcome = await importRows(market.services, {
  dataset: 'tools',
  // Without an encoding its chunks are bytes.
  bytes: createReadStream(file) as AsyncIterable<Uint8Array>,
  format: 'jsonl',
  source: { kind: 'file', name: 'rows.jsonl' },
  attribution: null,
  isComplete: true,
  mayRetireMany: false,
  dryRun: false,
  cause: { at: new Date().toISOString(), actor: 'cli', requestId: 'crash' },
});
await market.close();
process.exitCode = outcome.ok ? 0 : 1;
