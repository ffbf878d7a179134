/** Run by other-process.ts. */
import { NO_STREAM } from '../../events/event-store.ts';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { append, appendInTurn, pagesUntil } from './event-log.ts';
import { newEvent } from './new-event.ts';
import type { Errand } from './other-process.ts';

const [, , path = '', errandJson = ''] = process.argv;
const errand = JSON.parse(errandJson) as Errand;
const tell = (message: unknown) => process.send?.(message);

async function run(): Promise<void> {
  const { store } = await openSqliteLog({ path });
  let revision = NO_STREAM;
  const appendOne = async () => {
    const event = newEvent();
    ({ revision } = await append(store, errand.stream, revision, [event]));
    tell(event.id);
  };

  switch (errand.kind) {
    case 'appendForEver':
      for (;;) await appendOne();
    case 'appendWhenTold': {
      // One after another: the reader may see an event, and ask for the next, before this process is told of its own.
      let appends = Promise.resolve();
      process.on('message', () => void (appends = appends.then(appendOne)));
      tell('ready');
      return;
    }
    case 'race':
      tell(await appendInTurn(store, errand.stream, errand.count));
      return store.close();
    case 'appendAndEnd':
      await appendOne();
      void pagesUntil(store, { after: null }, () => false);
      if (errand.close) await store.close();
      process.disconnect();
  }
}

void run();
