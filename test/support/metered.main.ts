/** Run by metered.ts: counts requests of one account against a shared meter, as a node under load does. */
import { once } from 'node:events';
import { openRedis } from '../../infra/redis/engine.ts';
import { openSqliteMeter } from '../../infra/sqlite/meter.ts';
import type { Meter } from '../../src/ports/meter.ts';
import type { MeteredErrand } from './metered.ts';

// Written by startMetered.
const { place, draw, requests, inFlight } = JSON.parse(process.argv[2] ?? '') as MeteredErrand;

async function open(): Promise<{ readonly meter: Meter; readonly close: () => Promise<void> }> {
  if (place.kind === 'sqlite') return openSqliteMeter(place.path);
  return openRedis({ url: place.url, prefix: place.prefix, onError: () => {} });
}

const { meter, close } = await open();
let left = requests;
const lane = async (): Promise<void> => {
  for (; left > 0;) {
    left -= 1;
    const counted = await meter.count(draw, null);
    // Told only now, as the answer to a request leaves only now.
    process.send?.(counted.kind);
  }
};
process.once('SIGTERM', () => (left = 0));
process.send?.('ready');
await once(process, 'message');
await Promise.all(Array.from({ length: inFlight }, lane));
await close();
// What is told last is written last: to disconnect before would lose what is still under way.
process.send?.('done', undefined, undefined, () => process.disconnect());
