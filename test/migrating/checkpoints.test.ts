import { expect } from 'chai';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { startReactor } from '../../src/background/reactor.ts';
import { append } from '../support/event-log.ts';
import { newEvent, newEvents, newStream } from '../support/new-event.ts';
import { withOtherPositions } from '../support/other-positions.ts';
import { until } from '../support/until.ts';
import { NO_STREAM } from '../../events/event-store.ts';
import { allOf, fill, memoryLog, migrated, type OpenLog } from './logs.ts';

describe('The checkpoints of a log that moves', () => {
  let source: OpenLog;
  let target: OpenLog;

  beforeEach(async () => {
    source = memoryLog();
    target = memoryLog(withOtherPositions(memoryEventStore()));
    await fill(source.events);
  });

  const positions = async (log: OpenLog): Promise<string[]> =>
    (await allOf(log)).map(({ position }) => position);

  it('stand after the same event there', async () => {
    const [first, , third, ...rest] = await positions(source);
    await source.checkpoints.set('when-a-then-b', first!);
    await source.checkpoints.set('when-c-then-d', third!);
    await source.checkpoints.set('when-e-then-f', rest.at(-1)!);
    const reactions = ['when-a-then-b', 'when-c-then-d', 'when-e-then-f'];
    const { checkpoints } = await migrated(source, target, { reactions });

    const there = await positions(target);
    expect(checkpoints).to.deep.equal([
      { name: 'when-a-then-b', source: first, target: there[0] },
      { name: 'when-c-then-d', source: third, target: there[2] },
      { name: 'when-e-then-f', source: rest.at(-1), target: there[249] },
    ]);
    for (const { name, target: kept } of checkpoints)
      expect(await target.checkpoints.get(name)).to.equal(kept);
  });

  it('stand after the last event that they cover, where they are between two', async () => {
    const some = memoryLog(withOtherPositions(memoryEventStore()));
    await append(some.events, newStream(), NO_STREAM, newEvents(3));
    const here = memoryLog();
    const [, second] = await positions(some);
    // Beyond the second event and before the third, as after others' events in a database that is shared.
    await some.checkpoints.set('when-a-then-b', `${second}-and-others`);
    await migrated(some, here, { reactions: ['when-a-then-b'] });

    expect(await here.checkpoints.get('when-a-then-b')).to.equal((await positions(here))[1]);
  });

  it('are not made where there were none, or none that covers an event', async () => {
    await source.checkpoints.set('when-c-then-d', '0000000000000000');
    const reactions = ['when-a-then-b', 'when-c-then-d'];
    const { checkpoints } = await migrated(source, target, { reactions });

    expect(checkpoints).to.deep.equal([{ name: 'when-c-then-d', source: '0000000000000000', target: null }]);
    for (const name of reactions) expect(await target.checkpoints.get(name)).to.equal(null);
  });

  it('are never moved back', async () => {
    const reactions = ['when-a-then-b', 'when-c-then-d'];
    const [here, there] = [
      await positions(source),
      await migrated(source, target).then(() => positions(target)),
    ];
    await target.checkpoints.set('when-a-then-b', there[20]!);
    await target.checkpoints.set('when-c-then-d', there[5]!);
    for (const name of reactions) await source.checkpoints.set(name, here[10]!);
    await migrated(source, target, { reactions });

    expect(await target.checkpoints.get('when-a-then-b')).to.equal(there[20]);
    expect(await target.checkpoints.get('when-c-then-d')).to.equal(there[10]);
  });

  it('let a reaction go on with the next event: none again, none left out', async () => {
    const reacted: string[] = [];
    const react = (log: OpenLog) =>
      startReactor({
        events: log.events,
        checkpoints: log.checkpoints,
        reactions: [
          {
            name: 'when-opened-then-noted',
            types: ['AccountOpened'],
            react: async ({ id }) => void reacted.push(id),
          },
        ],
        isSkipped: async () => false,
        onError: (_, error) => {
          throw error;
        },
      });
    const open = async (log: OpenLog): Promise<string> => {
      const event = newEvent({
        type: 'AccountOpened',
        data: { accountId: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy', handle: 'acme' },
      });
      await append(log.events, newStream(), NO_STREAM, [event]);
      return event.id;
    };
    const before = [await open(source), await open(source)];
    await append(source.events, newStream(), NO_STREAM, newEvents(20));
    const there = react(source);
    await until('it has reacted', () => reacted.length === 2);
    await there.stop();
    await migrated(source, target, { reactions: ['when-opened-then-noted'] });
    const here = react(target);
    const after = [await open(target)];
    await until('it has reacted to the next', () => reacted.includes(after[0]!));
    await here.stop();

    expect(reacted).to.deep.equal([...before, ...after]);
  });
});
