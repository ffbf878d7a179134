/** Checkpoints in EventStoreDB: beside the log and not in it, few, and kept where two set them at once. */
import { status } from '@grpc/grpc-js';
import { expect } from 'chai';
import { LogContradiction } from '../../../events/event-store.ts';
import { appendMixed, eventsOf, idsOf, pagesUntil } from '../../support/event-log.ts';
import { clientOf } from '../../support/eventstoredb/client-of.ts';
import type { EventStoreDouble } from '../../support/eventstoredb/double.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { logsOn } from './logs-on.ts';

describe('Checkpoints in EventStoreDB', () => {
  const logs = logsOn();
  let server: EventStoreDouble;
  beforeEach(async () => {
    server = await logs.startDouble();
  });

  it('are given to nobody who follows the log, and do not move its head', async () => {
    const { store, checkpoints } = await logs.open(server.url);
    const events = await appendMixed(store, 1, 2);
    const head = await store.head();
    await checkpoints.set('a-reaction', 'somewhere');
    const pages = await pagesUntil(store, { after: null }, (_, page) => page.caughtUp);

    expect(idsOf(eventsOf(pages))).to.deep.equal(idsOf(events));
    expect(await store.head()).to.equal(head);
  });

  it('are bounded by the server, whoever sets them first', async () => {
    const one = await logs.open(server.url);
    const other = await logs.open(server.url);
    for (let i = 0; i < 20; i += 1)
      await (i % 2 === 0 ? one : other).checkpoints.set('a-reaction', `at ${i}`);

    expect(await one.checkpoints.get('a-reaction')).to.equal('at 19');
    const [bound, ...others] = server.ledger.stream('$$checkpoint-of-bourse.a-reaction');
    expect(JSON.parse(String(Buffer.from(bound?.data ?? [])))).to.deep.equal({ $maxCount: 10 });
    expect(others).to.deep.equal([]);
  });

  it('are kept apart for each installation in a database', async () => {
    const one = await logs.open(server.url, 'one.');
    const other = await logs.open(server.url, 'other.');
    await one.checkpoints.set('a-reaction', 'here');

    expect(await other.checkpoints.get('a-reaction')).to.equal(null);
  });

  it('that were kept are never none again: a stream that others deleted is told of', async () => {
    const { checkpoints } = await logs.open(server.url);
    await checkpoints.set('a-reaction', 'somewhere');
    const client = clientOf(server);
    await client.deleteStream('checkpoint-of-bourse.a-reaction');
    await client.dispose();

    expect(await rejectionOf(checkpoints.get('a-reaction')))
      .to.be.instanceOf(LogContradiction)
      .with.property('message')
      .that.contains('checkpoint-of-bourse.a-reaction');
  });

  it('are kept by a second try where the first was not answered', async () => {
    const { checkpoints } = await logs.open(server.url);
    await checkpoints.set('a-reaction', 'first');
    server.faults.on('batchAppend', { kind: 'effect-then-status', code: status.UNKNOWN }, 1);
    await checkpoints.set('a-reaction', 'second');

    expect(await checkpoints.get('a-reaction')).to.equal('second');
    expect(server.ledger.stream('checkpoint-of-bourse.a-reaction')).to.have.length(2);
  });
});
