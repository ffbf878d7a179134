import { END, type EventStoreDBClient, START } from '@eventstore/db-client';
import { expect } from 'chai';
import { until } from '../until.ts';
import { event, events } from './client-of.ts';
import type { EventStoreDouble } from './double.ts';
import type { Generation } from './generation.ts';
import { checkpointAt, follow, listen, MINE } from './listening.ts';
import { LIVE_BUFFER_ITEMS } from './live-queue.ts';
import { startWithClient } from './with-client.ts';

let server: EventStoreDouble;
let client: EventStoreDBClient;
let stop: () => Promise<void>;
async function begin(generation: Generation): Promise<void> {
  ({ server, client, stop } = await startWithClient({ generation }));
}

// Source: Enumerator.AllSubscriptionFiltered.cs at commit 0923c56, which is what 23.10 has.
describe('a filtered subscription of EventStoreDB 23.10', () => {
  beforeEach(() => begin('23.10'));
  afterEach(() => stop());

  it('catching up gives a checkpoint per page: at its last event, or else where the page began', async () => {
    // After the two events that every log begins with, pages of two: [-, -] [mine, other] [other, other] and the end.
    await client.appendToStream(`${MINE}1`, event('Mine'));
    await client.appendToStream('other', events(3, 'Other'));

    const { heard, has, subscription } = follow(client, START, 2);
    await has('caughtUp');
    await subscription.unsubscribe();

    const thirdPage = server.ledger.log[4]!.position;
    expect(heard).to.deep.equal([
      'confirmation',
      '0/0',
      'Mine',
      checkpointAt(server.ledger, 2),
      `${thirdPage}/0`,
      'caughtUp',
    ]);
  });

  it('catching up gives one after several pages when it is asked to', async () => {
    await client.appendToStream('other', events(5));

    const { heard, has, subscription } = follow(client, START, 1, 2);
    await has('caughtUp');
    await subscription.unsubscribe();

    const begins = [1, 3, 5].map((index) => `${server.ledger.log[index]!.position}/0`);
    expect(heard).to.deep.equal(['confirmation', ...begins, 'caughtUp']);
  });

  // Source: ReadBatchSize in Enumerator.cs.
  it('has pages of 32 events unless it is asked for others', async () => {
    await client.appendToStream('other', events(30 - server.ledger.log.length));
    for (const checkpoints of [[], ['0/0']]) {
      await client.appendToStream('other', events(1));
      const { heard, has, subscription } = follow(client, START);
      await has('caughtUp');
      await subscription.unsubscribe();

      expect(heard).to.deep.equal(['confirmation', ...checkpoints, 'caughtUp']);
    }
  });

  it('gives no checkpoint when it goes live', async () => {
    await client.appendToStream('other', events(5));

    const { heard, has, subscription } = follow(client, START);
    await has('caughtUp');
    await subscription.unsubscribe();

    expect(heard).to.deep.equal(['confirmation', 'caughtUp']);
  });

  it('counts on, live, from where catching up left off', async () => {
    const { heard, has, subscription } = follow(client, START, 3);
    await has('caughtUp');

    await client.appendToStream('other', events(1));
    const third = checkpointAt(server.ledger, -1);
    await has(third);
    await subscription.unsubscribe();

    expect(heard).to.deep.equal(['confirmation', 'caughtUp', third]);
  });

  it('drops a subscriber that is too slow, after what is buffered for it', async () => {
    const { heard, has } = listen(client.subscribeToAll({ fromPosition: END }));
    await has('caughtUp');

    await client.appendToStream('s', events(3 * LIVE_BUFFER_ITEMS, 'Came'));

    const tooSlow =
      '10 ABORTED: Operation timed out: Consumer too slow to handle event while live. Client resubscription required.';
    await has(tooSlow);
    const came = Array.from({ length: LIVE_BUFFER_ITEMS }, () => 'Came');
    expect(heard).to.deep.equal(['confirmation', 'caughtUp', ...came, tooSlow]);
    await until('the server has no subscription', () => server.stats().openSubscriptions === 0);
  });

  it('passes over the event at the position it begins with, whatever that is', async () => {
    await client.appendToStream(`${MINE}1`, [event('A'), event('B')]);
    const { nextPosition } = server.ledger.log.at(-2)!;

    // The end of the record of A is where that of B begins: nobody was given this position.
    const { heard, has, subscription } = follow(client, { commit: nextPosition, prepare: 0n });
    await has('caughtUp');
    await subscription.unsubscribe();

    expect(heard).to.deep.equal(['confirmation', 'caughtUp']);
  });
});

// Source: Enumerator.AllSubscriptionFiltered.cs since pull request 4135, before 4892 corrected its first checkpoint.
describe('a filtered subscription of EventStoreDB 24.2', () => {
  beforeEach(() => begin('24.2'));
  afterEach(() => stop());

  it('gives a checkpoint when it goes live, at the last event that it gave', async () => {
    await client.appendToStream(`${MINE}1`, event('Mine'));
    await client.appendToStream('other', events(2));

    const { heard, has, subscription } = follow(client, START);
    await has('caughtUp');
    await subscription.unsubscribe();

    expect(heard).to.deep.equal(['confirmation', 'Mine', checkpointAt(server.ledger, 2), 'caughtUp']);
  });

  it('says the greatest position of all when it has given nothing', async () => {
    await client.appendToStream('other', events(2));

    const { heard, has, subscription } = follow(client, START);
    await has('caughtUp');
    await subscription.unsubscribe();

    const nonsense = `${2n ** 64n - 1n}/${2n ** 64n - 1n}`;
    expect(heard).to.deep.equal(['confirmation', nonsense, 'caughtUp']);
  });

  it('tells a subscriber that is too slow that it fell behind, and catches up again without loss', async () => {
    const { heard, has, subscription } = listen(client.subscribeToAll({ fromPosition: END }));
    await has('caughtUp');

    const many = events(3 * LIVE_BUFFER_ITEMS, 'Came');
    await client.appendToStream('s', [...many, event('Last')]);
    await has('Last', 'fellBehind');
    await until('it caught up again', () => heard.filter((said) => said === 'caughtUp').length === 2);
    await subscription.unsubscribe();

    expect(heard.filter((said) => said === 'Came')).to.have.length(many.length);
  });
});
