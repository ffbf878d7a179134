/**
 * Imports a file into the tools of the market in DATA_DIR, and says so when it begins. With a number it halts before
 * that append of its own to the import that it has begun (0: before it begins, with all of it staged), says so too, and
 * waits to be killed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createReadStream } from 'node:fs';
import { openMarket } from '../../src/composition/app.ts';
import { importRows } from '../../src/importing/import-rows.ts';
import { createLog } from '../../src/logging/log.ts';
import { readConfig } from '../../src/settings/config.ts';
import { toolsImport } from '../support/tools-import.ts';

const [file = '', haltsBefore = ''] = process.argv.slice(2);
const market = await openMarket(readConfig(), createLog('silent'));
const { commands } = market.services;
let appends = Number.NEGATIVE_INFINITY;
const run: typeof commands.run = async (decider, id, command, ...more) => {
  // As the importer writes them.
  const { type } = command as { type: string };
  if (type === 'BeginImport') appends = 0;
  if (type === 'AddBatches') appends += 1;
  if (haltsBefore !== '' && appends === Number(haltsBefore)) {
    process.stdout.write('half\n');
    await delay(600_000);
  }
  return commands.run(decider, id, command, ...more);
};
process.stdout.write('open\n');
// Without an encoding its chunks are bytes.
const bytes = createReadStream(file) as AsyncIterable<Uint8Array>;
const request = toolsImport(bytes, { mayRetireMany: false, requestId: 'crash' });
const outcome = await importRows({ ...market.services, commands: { ...commands, run } }, request);
await market.close();
process.exitCode = outcome.ok ? 0 : 1;
