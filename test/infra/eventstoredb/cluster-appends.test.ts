/** Appends to a cluster whose nodes go away and whose leader changes. */
import { expect } from 'chai';
import { NO_STREAM, OutcomeUnknown, StoreUnavailable } from '../../../events/event-store.ts';
import { append, appendInTurn, idsOf, readAll } from '../../support/event-log.ts';
import { startEventStoreCluster } from '../../support/eventstoredb/cluster.ts';
import { newEvents, newStream } from '../../support/new-event.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { until } from '../../support/until.ts';
import { logsOn } from './logs-on.ts';

describe('An append to a cluster of EventStoreDB', () => {
  const logs = logsOn();

  it('finds the others where the one host of the address is gone', async () => {
    const cluster = await startEventStoreCluster(3);
    const [first] = cluster.nodes;
    const { store } = await logs.open(first?.url ?? '');
    const [stream, events] = [newStream(), newEvents(1)];
    await append(store, stream, NO_STREAM, events);
    await until('it has heard of the others', () => first?.stats().calls.gossip === 1);
    await first?.stop();
    cluster.elect(1);
    await until('an append goes through', () => isAnswered(store.append(stream, 0, newEvents(1))));
    expect(idsOf(await readAll(store, stream)))
      .to.have.length(2)
      .and.include(events[0]?.id);
    await logs.closeAll();
    await cluster.stop();
  });

  it('outlives the loss of all nodes at once, with others under way', async () => {
    const cluster = await startEventStoreCluster(3);
    const { store } = await logs.open(cluster.url);
    const stream = newStream();
    await append(store, stream, NO_STREAM, newEvents(1));
    const reader = store
      .subscribe({ after: null, signal: new AbortController().signal })
      [Symbol.asyncIterator]();
    while ((await reader.next()).value?.caughtUp !== true);
    const waiting = rejectionOf(reader.next());
    for (const node of cluster.nodes) node.faults.on('batchAppend', { kind: 'silence' });
    const calls = Array.from({ length: 5 }, () => rejectionOf(store.append(stream, 0, newEvents(1))));
    await cluster.stop();
    for (let i = 0; i < 5; i += 1) calls.push(rejectionOf(store.append(stream, 0, newEvents(1))));

    for (const failure of [...(await Promise.all(calls)), await waiting])
      expect(failure).to.satisfy(
        (one: unknown) => one instanceof StoreUnavailable || one instanceof OutcomeUnknown,
      );
    await logs.closeAll();
  });

  for (const kind of ['url', 'discoverUrl'] as const) {
    it(`follows the leader, reached by its ${kind}`, async () => {
      const cluster = await startEventStoreCluster(3);
      const { store } = await logs.open(cluster[kind]);
      const stream = newStream();
      const won = await appendInTurn(store, stream, 3);
      for (const leader of [2, 1]) {
        cluster.elect(leader);
        for (let i = 0; i < 3; i += 1) {
          const events = newEvents(1);
          await append(store, stream, won.length - 1, events);
          won.push(...idsOf(events));
        }
      }

      expect(idsOf(await readAll(store, stream))).to.deep.equal(won);
      await logs.closeAll();
      await cluster.stop();
    });
  }
});

async function isAnswered(appending: Promise<unknown>): Promise<boolean> {
  return appending.then(
    () => true,
    () => false,
  );
}
