/** Where a server ends, and where the double goes on although much is asked of it. */
import { setImmediate as turn } from 'node:timers/promises';
import { END } from '@eventstore/db-client';
import { expect } from 'chai';
import { until } from '../until.ts';
import { clientOf, collect, errorOf, event, events, WAYS } from './client-of.ts';
import { systemEvent } from './ledger.ts';
import { type DoubleWithClient, startWithClient } from './with-client.ts';

describe('the limits of EventStoreDB', () => {
  let running: DoubleWithClient;
  const begin = async (...options: Parameters<typeof startWithClient>): Promise<void> => {
    running = await startWithClient(...options);
  };
  afterEach(() => running.stop());

  it('serves a hundred calls of a connection at once; one more waits without a word', async () => {
    await begin();
    const { client, server } = running;
    const subscriptions = Array.from({ length: 100 }, () => client.subscribeToAll({ fromPosition: END }));
    await until('a hundred are served', () => server.stats().openSubscriptions === 100);
    let isAnswered = false;
    const waiting = client.getStreamMetadata('s').then(() => (isAnswered = true));
    const other = clientOf({ url: `${server.url}&keepAliveInterval=20000` });
    for (let trips = 0; trips < 3; trips += 1) await other.getStreamMetadata('s');
    await turn();

    expect(isAnswered).to.be.false;
    await subscriptions[0]?.unsubscribe();
    await waiting;
    await Promise.all(subscriptions.slice(1).map((subscription) => subscription.unsubscribe()));
    await other.dispose();
  });

  for (const [way, options] of Object.entries(WAYS)) {
    for (const stream of ['', '$$']) {
      it(`are passed, of 23.10, by a ${way} to the stream "${stream}": it ends`, async () => {
        let hasDied = false;
        await begin({ onDeath: () => (hasDied = true) });

        // Asked again, as the official client keeps the batch appends of all clients of a process in one map, and
        // rejects them all when the call of any of them ends: of a client that an earlier test has left, say.
        await until('the server has died of it', async () => {
          await errorOf(running.client.appendToStream(stream, event(), options));
          return hasDied;
        });
        await until('it is gone', () => running.server.stats().openConnections === 0);
      });
    }

    it(`are not known, of 24.2, of a ${way} to a nameless stream`, async () => {
      await begin({ generation: '24.2' });

      const { message } = await errorOf(running.client.appendToStream('', event(), options));

      expect(message).to.match(/^12 UNIMPLEMENTED: the double does not follow the servers here/);
    });

    it(`of a ${way} are set lower by its operator`, async () => {
      await begin({ maxAppendBytes: 1_000 });

      const refused = await errorOf(
        running.client.appendToStream('s', event('Big', { text: 'x'.repeat(1_000) }), options),
      );

      expect(refused).to.include({ type: 'maximum-append-size-exceeded', maxAppendSize: 1_000 });
    });
  }

  it('are not met by metadata that is not JSON, nor by one that is no object', async () => {
    await begin();
    await running.client.appendToStream('s', events(2));
    for (const data of ['{', '7', 'null', '[]']) {
      running.server.ledger.store('$$s', [{ ...systemEvent('$metadata', {}), data: Buffer.from(data) }]);
      expect(await collect(running.client.readStream('s'))).to.have.length(2);
    }
  });

  it('are not met by names outside ASCII, of which it does not know how servers name them in a failure', async () => {
    await begin();
    await running.client.appendToStream('ü€😀', events(2));
    await running.client.tombstoneStream('ü€😀');

    const { message } = await errorOf(collect(running.client.readStream('ü€😀')));

    expect(message).to.match(/^12 UNIMPLEMENTED: the double does not follow the servers here/);
    await running.client.appendToStream('s', events(1));
  });
});
