/** Appends of ours beside those of an official client in the same process, whose failures hit all of its kind. */
import { expect } from 'chai';
import { NO_STREAM } from '../../../events/event-store.ts';
import { readAll } from '../../support/event-log.ts';
import { clientOf, errorOf, event } from '../../support/eventstoredb/client-of.ts';
import { newEvents, newStream } from '../../support/new-event.ts';
import { until } from '../../support/until.ts';
import { logsOn } from './logs-on.ts';

describe('An append to EventStoreDB', () => {
  // It is to be answered, however long a busy machine takes.
  const logs = logsOn(20_000);

  it('goes on where the stream of another client in the process breaks, which fails all of theirs', async () => {
    const [server, other] = [await logs.startDouble(), await logs.startDouble()];
    const { together, store } = await logs.open(server.url);
    const theirs = [clientOf(server), clientOf(other)] as const;
    await theirs[1].appendToStream('s', event());
    const { met, release } = server.faults.on('batchAppend', { kind: 'held' });
    const stream = newStream();
    // Tried once: a second try would hide a first that failed.
    const ours = together.append(stream, NO_STREAM, newEvents(1));
    const pending = errorOf(theirs[0].appendToStream('s', event()));
    await until('both are written', () => met() === 2);

    other.cutConnections();

    expect(await pending).to.include({ type: 'unavailable' });
    release();
    expect(await ours).to.include({ ok: true, revision: 0 });
    expect(await readAll(store, stream)).to.have.length(1);
    for (const client of theirs) await client.dispose();
  });
});
