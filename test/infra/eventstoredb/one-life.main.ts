/** A process that uses a log in each way, closes it and does nothing else: whatever keeps it alive then is a leak. */
import { NO_STREAM } from '../../../events/event-store.ts';
import { openEventStoreDb } from '../../../infra/eventstoredb/event-store.ts';
import { append, pagesUntil, readAll } from '../../support/event-log.ts';
import { newEvents, newStream } from '../../support/new-event.ts';

const [url = ''] = process.argv.slice(2);
const { store, checkpoints, close } = await openEventStoreDb({ url, prefix: 'bourse.' });
const stream = newStream();
await append(store, stream, NO_STREAM, newEvents(3));
await readAll(store, stream);
await checkpoints.set('a-reaction', (await store.head()) ?? '');
await pagesUntil(store, { after: null }, (_, page) => page.caughtUp);
// Left while it waits.
void store.subscribe({ after: null, signal: new AbortController().signal })[Symbol.asyncIterator]().next();
await close();
process.stdout.write('closed\n');
