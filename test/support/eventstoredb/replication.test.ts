/** What is answered while a leader has no majority, or there is no leader. */
import { NO_STREAM, START } from '@eventstore/db-client';
import { expect } from 'chai';
import { until } from '../until.ts';
import { collect, errorOf, event, events, WAYS } from './client-of.ts';
import { type DoubleWithClient, startWithClient } from './with-client.ts';

const COMMIT_TIMEOUT_MS = 300;
const FROM_THE_LEADER = { requiresLeader: true };
const TIMED_OUT = {
  'batch append': { type: 'deadline-exceeded' },
  'unary append': { message: '10 ABORTED: Operation timed out: Commit phase timeout.' },
} as const;

let running: DoubleWithClient;

const appendsArrived = (count: number) =>
  until(`${count} appends are there`, () => {
    const { append, batchAppend } = running.server.stats().calls;
    return append + batchAppend === count;
  });

for (const way of ['batch append', 'unary append'] as const) {
  describe(`EventStoreDB without a majority, asked by ${way}`, () => {
    beforeEach(async () => (running = await startWithClient({ commitTimeoutMs: COMMIT_TIMEOUT_MS })));
    afterEach(() => running.stop());
    const append = (...appended: ReturnType<typeof event>[]) =>
      running.client.appendToStream('s', appended, { ...WAYS[way], expectedRevision: NO_STREAM });

    it('shows and acknowledges nothing before it is replicated', async () => {
      const { replication } = running.server.ledger;
      replication.hold();
      let isAnswered = false;
      const appending = append(event()).then(() => (isAnswered = true));

      expect(await errorOf(collect(running.client.readStream('s')))).to.include({ type: 'stream-not-found' });
      expect(isAnswered).to.be.false;
      replication.resume();
      await appending;
      expect(await collect(running.client.readStream('s'))).to.have.length(1);
    });

    it('gives up waiting, says so, and may have done it', async () => {
      running.server.ledger.replication.hold();

      expect(await errorOf(append(event()))).to.include(TIMED_OUT[way]);

      running.server.ledger.replication.resume();
      expect(await collect(running.client.readStream('s'))).to.have.length(1);
    });

    it('forgets what another leader never got', async () => {
      running.server.ledger.replication.hold();
      await errorOf(append(event('Lost')));
      running.server.ledger.replication.lose();

      await append(event('Kept'));

      const read = await collect(running.client.readStream('s'));
      expect(read.map((resolved) => resolved.event?.type)).to.deep.equal(['Kept']);
      expect(await collect(running.client.readAll({ fromPosition: START }))).to.have.length(2);
    });

    it('drops the repetition of what is not replicated yet, until it gives up', async () => {
      const once = event();
      const { replication } = running.server.ledger;
      replication.hold();
      // The client may send the second first.
      const both = Promise.allSettled([append(once), append(once)]);
      await appendsArrived(2);
      replication.resume();

      const outcomes = await both;
      const dropped = outcomes.find((outcome) => outcome.status === 'rejected');
      expect(outcomes.map(({ status }) => status)).to.have.members(['fulfilled', 'rejected']);
      expect(dropped?.reason).to.include(TIMED_OUT[way]);
      expect(await append(once)).to.include({ success: true, nextExpectedRevision: 0n });
      expect(await collect(running.client.readStream('s'))).to.have.length(1);
    });
  });
}

describe('EventStoreDB without a leader', () => {
  beforeEach(async () => (running = await startWithClient()));
  afterEach(() => running.stop());

  it('is not ready, and says so of an append among others without ending them', async () => {
    await running.client.appendToStream('s', events(1));
    running.server.loseLeader();

    const unavailable = { type: 'unavailable', message: '14 UNAVAILABLE: Server Is Not Ready' };
    expect(await errorOf(collect(running.client.readStream('s')))).to.include(unavailable);
    expect(await errorOf(running.client.appendToStream('s', events(1), WAYS['unary append']))).to.include(
      unavailable,
    );
    expect(await errorOf(running.client.appendToStream('s', events(1)))).to.include({
      type: 'unknown',
      message: 'Could not recognize Server Is Not Ready',
    });

    running.server.follow(null);
    await running.client.appendToStream('s', events(1));
    expect(running.server.ledger.stream('s')).to.have.length(2);
  });

  it('ends, stepping down, what was sent before, which may have happened', async () => {
    running.server.ledger.replication.hold();
    const before = errorOf(running.client.appendToStream('s', event('Before'), FROM_THE_LEADER));
    await appendsArrived(1);
    running.server.follow({ host: '127.0.0.1', port: 1 });

    const after = errorOf(running.client.appendToStream('s', event('After'), FROM_THE_LEADER));

    expect(await before).to.include({ type: 'not-leader' });
    expect(await after).to.include({ type: 'not-leader' });
    running.server.ledger.replication.resume();
    expect(running.server.ledger.stream('s').map(({ type }) => type)).to.deep.equal(['Before']);
  });
});
