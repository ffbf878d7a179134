/** A process whose log is on a server follows it once, however many views and reactions it has. */
import { openMarket } from '../../src/composition/app.ts';
import { createLog } from '../../src/logging/log.ts';
import { readConfig } from '../../src/settings/config.ts';
import { publishExamples } from '../support/memory-market.ts';
import { startEventStoreDouble } from '../support/eventstoredb/double.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

describe('A market whose log is in EventStoreDB', () => {
  it('has one subscription there once all of its views and reactions are at the end of the log', async function () {
    this.timeout(120_000);
    const [folder, server] = [await tempFolder(), await startEventStoreDouble()];
    const settings = { DATA_DIR: folder.path, EVENTSTORE_URL: server.url, EVENTSTORE_PREFIX: 'followed.' };
    const market = await openMarket(readConfig(settings), createLog('silent'));
    try {
      await market.start();
      await publishExamples(market.services);
      await market.services.projector.caughtUp();
      const head = await market.services.events.head();
      await until('all are there, and have joined', () => {
        const reactions = market.services.reactions();
        const areThere = reactions.length > 1 && reactions.every(({ checkpoint }) => checkpoint === head);
        return areThere && server.stats().openSubscriptions === 1;
      });
    } finally {
      await market.close();
      await server.stop();
      await folder.remove();
    }
  });
});
