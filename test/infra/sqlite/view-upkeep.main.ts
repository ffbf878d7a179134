/** A process that makes a generation readable, to be killed: it tells when so many steps are taken. */
import { openSqliteViewStore } from '../../../infra/sqlite/view-store.ts';
import { startUpkeepWorker } from '../../../infra/sqlite/view-upkeep.ts';

const [, , path = '', generation = '', after = ''] = process.argv;
let steps = 0;
const store = openSqliteViewStore(path, {
  startUpkeepWorker(place) {
    const worker = startUpkeepWorker(place);
    worker.on('online', () => void (after === '0' && process.send?.('it has begun')));
    worker.on('message', () => {
      steps += 1;
      if (String(steps) === after) process.send?.('so many steps are taken');
    });
    return worker;
  },
});
void store.makeReadable('shelf', Number(generation));
