import { once } from 'node:events';
import {
  type AllStreamSubscription,
  END,
  type EventStoreDBClient,
  eventTypeFilter,
  START,
  streamNameFilter,
} from '@eventstore/db-client';
import { expect } from 'chai';
import { until } from '../until.ts';
import { clientOf, errorOf, event, events } from './client-of.ts';
import { type EventStoreDouble, startEventStoreDouble } from './double.ts';
import { LIVE_BUFFER_ITEMS } from './live-queue.ts';
import type { Generation } from './generation.ts';

const MINE = 'mine-';

/** Source: pull requests 3963 and 4128 for the later wording. */
const REFUSED_POSITION: Readonly<Record<Generation, string>> = {
  '23.10': '2 UNKNOWN: Exception was thrown by handler.',
  '24.2': '3 INVALID_ARGUMENT: Trying to read from an invalid position.',
};

interface Heard {
  readonly subscription: AllStreamSubscription;
  /** What the server said, in the order it said it: events by type, checkpoints by position. */
  readonly heard: string[];
  readonly has: (...said: string[]) => Promise<void>;
}

let server: EventStoreDouble;
let client: EventStoreDBClient;
async function begin(generation: Generation): Promise<void> {
  server = await startEventStoreDouble({ generation });
  client = clientOf(server);
}
async function end(): Promise<void> {
  await client.dispose();
  await server.stop();
}

/** Follows the streams of MINE; a checkpoint is due after `pages` of so many events, which the server sets by default. */
function follow(
  fromPosition: Parameters<typeof client.subscribeToAll>[0],
  pageEvents?: number,
  pages = 1,
): Heard {
  const heard: string[] = [];
  const filter = streamNameFilter({
    prefixes: [MINE],
    checkpointInterval: pages,
    ...(pageEvents !== undefined && { maxSearchWindow: pageEvents }),
    checkpointReached: async (_, { commit, prepare }) => void heard.push(`${commit}/${prepare}`),
  });
  return listen(client.subscribeToAll({ filter, ...fromPosition }), heard);
}

function listen(subscription: AllStreamSubscription, heard: string[] = []): Heard {
  subscription.on('confirmation', () => heard.push('confirmation'));
  subscription.on('caughtUp', () => heard.push('caughtUp'));
  subscription.on('fellBehind', () => heard.push('fellBehind'));
  subscription.on('data', (resolved) => heard.push(resolved.event?.type ?? ''));
  subscription.on('error', ({ message }) => heard.push(message));
  const has = (...said: string[]) =>
    until(`the server says ${said.join(', ')}`, () => said.every((word) => heard.includes(word)));
  return { subscription, heard, has };
}

const positionAt = (index: number): string => {
  const { position } = server.ledger.log.at(index)!;
  return `${position}/${position}`;
};

for (const generation of ['23.10', '24.2'] as const) {
  describe(`a subscription to $all of EventStoreDB ${generation}`, () => {
    beforeEach(() => begin(generation));
    afterEach(end);

    it('confirms, gives what is there, says that it caught up, and goes on with what comes', async () => {
      await client.appendToStream('any', events(40, 'There'));

      const { heard, has, subscription } = listen(client.subscribeToAll({ fromPosition: START }));
      await has('caughtUp');
      await client.appendToStream('any', event('Came'));
      await has('Came');
      await subscription.unsubscribe();

      const there = Array.from({ length: 40 }, () => 'There');
      expect(heard).to.deep.equal(['confirmation', ...there, 'caughtUp', 'Came']);
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
      const { heard, has, subscription } = follow({ fromPosition: END }, 3);
      await has('caughtUp');

      await client.appendToStream('other', events(3));
      const checkpoint = positionAt(-1);
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
      await has('Happened');
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

// Source: Enumerator.AllSubscriptionFiltered.cs at commit 0923c56, which is what 23.10 has.
describe('a filtered subscription of EventStoreDB 23.10', () => {
  beforeEach(() => begin('23.10'));
  afterEach(end);

  it('catching up gives a checkpoint per page: at its last event, or else where the page began', async () => {
    // With the one event that every log begins with, pages of two: [-, other] [mine, other] [other, other] and the end.
    await client.appendToStream('other', event('Other'));
    await client.appendToStream(`${MINE}1`, event('Mine'));
    await client.appendToStream('other', events(3, 'Other'));

    const { heard, has, subscription } = follow({ fromPosition: START }, 2);
    await has('caughtUp');
    await subscription.unsubscribe();

    const thirdPage = server.ledger.log[4]!.position;
    expect(heard).to.deep.equal(['confirmation', '0/0', 'Mine', positionAt(2), `${thirdPage}/0`, 'caughtUp']);
  });

  it('catching up gives one after several pages when it is asked to', async () => {
    await client.appendToStream('other', events(5));

    const { heard, has, subscription } = follow({ fromPosition: START }, 1, 2);
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
      const { heard, has, subscription } = follow({ fromPosition: START });
      await has('caughtUp');
      await subscription.unsubscribe();

      expect(heard).to.deep.equal(['confirmation', ...checkpoints, 'caughtUp']);
    }
  });

  it('gives no checkpoint when it goes live', async () => {
    await client.appendToStream('other', events(5));

    const { heard, has, subscription } = follow({ fromPosition: START });
    await has('caughtUp');
    await subscription.unsubscribe();

    expect(heard).to.deep.equal(['confirmation', 'caughtUp']);
  });

  it('counts on, live, from where catching up left off', async () => {
    await client.appendToStream('other', events(1));
    const { heard, has, subscription } = follow({ fromPosition: START }, 3);
    await has('caughtUp');

    await client.appendToStream('other', events(1));
    const third = positionAt(-1);
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
    const { heard, has, subscription } = follow({ fromPosition: { commit: nextPosition, prepare: 0n } });
    await has('caughtUp');
    await subscription.unsubscribe();

    expect(heard).to.deep.equal(['confirmation', 'caughtUp']);
  });
});

// Source: Enumerator.AllSubscriptionFiltered.cs since pull request 4135, before 4892 corrected its first checkpoint.
describe('a filtered subscription of EventStoreDB 24.2', () => {
  beforeEach(() => begin('24.2'));
  afterEach(end);

  it('gives a checkpoint when it goes live, at the last event that it gave', async () => {
    await client.appendToStream(`${MINE}1`, event('Mine'));
    await client.appendToStream('other', events(2));

    const { heard, has, subscription } = follow({ fromPosition: START });
    await has('caughtUp');
    await subscription.unsubscribe();

    expect(heard).to.deep.equal(['confirmation', 'Mine', positionAt(1), 'caughtUp']);
  });

  it('says the greatest position of all when it has given nothing', async () => {
    await client.appendToStream('other', events(2));

    const { heard, has, subscription } = follow({ fromPosition: START });
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
