import { once } from 'node:events';
import { END, type EventStoreDBClient, eventTypeFilter, START } from '@eventstore/db-client';
import { expect } from 'chai';
import { until } from '../until.ts';
import { errorOf, event, events } from './client-of.ts';
import type { EventStoreDouble } from './double.ts';
import type { Generation } from './generation.ts';
import { checkpointAt, follow, listen } from './listening.ts';
import { startWithClient } from './with-client.ts';

/** Source: pull requests 3963 and 4128 for the later wording. */
const REFUSED_POSITION: Readonly<Record<Generation, string>> = {
  '23.10': '2 UNKNOWN: Exception was thrown by handler.',
  '24.2': '3 INVALID_ARGUMENT: Trying to read from an invalid position.',
};

for (const generation of ['23.10', '24.2'] as const) {
  describe(`a subscription to $all of EventStoreDB ${generation}`, () => {
    let server: EventStoreDouble;
    let client: EventStoreDBClient;
    let stop: () => Promise<void>;
    beforeEach(async () => {
      ({ server, client, stop } = await startWithClient({ generation }));
    });
    afterEach(() => stop());

    it('confirms, gives what is there, says that it caught up, and goes on with what comes', async () => {
      await client.appendToStream('any', events(40, 'There'));

      const { heard, has, subscription } = listen(client.subscribeToAll({ fromPosition: START }));
      await has('caughtUp');
      await client.appendToStream('any', event('Came'));
      await has('Came');
      await subscription.unsubscribe();

      const there = Array.from({ length: 40 }, () => 'There');
      expect(heard).to.deep.equal(['confirmation', '$metadata', ...there, 'caughtUp', 'Came']);
    });

    it('goes on after a position, exclusive', async () => {
      await client.appendToStream(
        'any',
        ['A', 'B', 'C'].map((type) => event(type)),
      );
      const { position } = server.ledger.log.at(-2)!;

      const { heard, has, subscription } = listen(
        client.subscribeToAll({ fromPosition: { commit: position, prepare: position } }),
      );
      await has('caughtUp');
      await subscription.unsubscribe();

      expect(heard).to.deep.equal(['confirmation', 'C', 'caughtUp']);
    });

    it('gives from the end on only what comes', async () => {
      await client.appendToStream('any', event('There'));

      const { heard, has, subscription } = listen(client.subscribeToAll({ fromPosition: END }));
      await has('caughtUp');
      await client.appendToStream('any', event('Came'));
      await has('Came');
      await subscription.unsubscribe();

      expect(heard).to.deep.equal(['confirmation', 'caughtUp', 'Came']);
    });

    it('lets through what the filter does, by type too', async () => {
      await client.appendToStream(
        'any',
        ['JobA', 'SpendA', 'JobB'].map((type) => event(type)),
      );

      const filter = eventTypeFilter({ regex: '^Job' });
      const { heard, has, subscription } = listen(client.subscribeToAll({ fromPosition: START, filter }));
      await has('caughtUp');
      await client.appendToStream(
        'any',
        ['SpendB', 'JobC'].map((type) => event(type)),
      );
      await has('JobC');
      await subscription.unsubscribe();

      expect(heard.filter((said) => said.startsWith('Job'))).to.deep.equal(['JobA', 'JobB', 'JobC']);
      expect(heard.filter((said) => said.startsWith('Spend'))).to.deep.equal([]);
    });

    it('tells how far it has looked, after each page of events that were somebody else’s', async () => {
      const { heard, has, subscription } = follow(client, END, 3);
      await has('caughtUp');

      await client.appendToStream('other', events(3));
      const checkpoint = checkpointAt(server.ledger, -1);
      await has(checkpoint);
      await subscription.unsubscribe();

      expect(heard).to.deep.equal(['confirmation', 'caughtUp', checkpoint]);
    });

    it('refuses a position in the midst of a record', async () => {
      await client.appendToStream('any', events(1));

      const { has } = listen(client.subscribeToAll({ fromPosition: { commit: 17n, prepare: 17n } }));

      await has(REFUSED_POSITION[generation]);
    });

    it('is forgotten by the server when its client leaves', async () => {
      const { has, subscription } = listen(client.subscribeToAll({ fromPosition: START }));
      await has('caughtUp');
      expect(server.stats().openSubscriptions).to.equal(1);

      await subscription.unsubscribe();

      await until('the server has no subscription', () => server.stats().openSubscriptions === 0);
      await until('nobody waits for commits', () => server.ledger.listeners() === 0);
    });

    it('is forgotten too when its client leaves while it catches up, or is kept in silence', async () => {
      // More than what is on its way at any time.
      for (let n = 0; n < 10; n += 1) await client.appendToStream('s', events(500));
      for (const begin of [() => client.subscribeToAll(), () => client.subscribeToStream('s')]) {
        const subscription = begin();
        await once(subscription, 'readable');
        await subscription.unsubscribe();
        await until('the server has no subscription', () => server.stats().openSubscriptions === 0);
      }
      server.faults.on('subscribe', { kind: 'silence-after', events: 1 });
      const { has, subscription } = listen(client.subscribeToAll());
      await has('$metadata');
      await subscription.unsubscribe();

      await until('the server has no subscription', () => server.stats().openSubscriptions === 0);
      await until('nobody waits for commits', () => server.ledger.listeners() === 0);
    });

    it('follows one stream as it does all of them', async () => {
      await client.appendToStream('s', event('There'));
      await client.appendToStream('other', event('Elsewhere'));

      const heard: string[] = [];
      const subscription = client.subscribeToStream('s', { fromRevision: START });
      subscription.on('confirmation', () => heard.push('confirmation'));
      subscription.on('caughtUp', () => heard.push('caughtUp'));
      subscription.on('data', (resolved) => heard.push(resolved.event?.type ?? ''));
      await until('it caught up', () => heard.includes('caughtUp'));
      await client.appendToStream('s', event('Came'));
      await until('it came', () => heard.includes('Came'));
      await subscription.unsubscribe();

      expect(heard).to.deep.equal(['confirmation', 'There', 'caughtUp', 'Came']);
    });

    it('ends when its stream is tombstoned', async () => {
      await client.appendToStream('s', event('There'));
      const subscription = client.subscribeToStream('s', { fromRevision: START });
      const ended = errorOf(
        (async () => {
          for await (const resolved of subscription) {
            if (resolved.event?.type === 'There') await client.tombstoneStream('s');
          }
        })(),
      );

      expect(await ended).to.include({ type: 'stream-deleted', streamName: 's' });
    });
  });
}
