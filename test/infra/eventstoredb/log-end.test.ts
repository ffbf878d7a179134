/** The end of our log in a database that others write to: found exactly, and searched for no further than is needed. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { StoreUnavailable } from '../../../events/event-store.ts';
import { appendMixed, eventsOf, idsOf, pagesUntil } from '../../support/event-log.ts';
import type { EventStoreDouble } from '../../support/eventstoredb/double.ts';
import { systemEvent } from '../../support/eventstoredb/ledger.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { DEADLINE_MS, logsOn, PREFIX, storeOthers } from './logs-on.ts';

/** Longer than a page takes on a busy machine, and shorter than all that are asked for. */
const SHORT_MS = 1_000;
/** A twentieth of the usual, and a hundredth in bytes, as is what the tests have others write. */
const SEARCH = { pageEvents: 50, pageBytes: 10_000, longEvents: 250 };
const LARGE_BYTES = 3_000;

describe('The head of a log in EventStoreDB', () => {
  const logs = logsOn(5_000, { search: SEARCH });
  let server: EventStoreDouble;
  beforeEach(async () => {
    server = await logs.startDouble();
  });
  const others = (count: number): void => storeOthers(server, count);
  const reads = (): number => server.stats().calls.read;

  it('is null until something is appended, whatever others write', async () => {
    others(150);
    const { store } = await logs.open(server.url);
    others(150);

    expect(await store.head()).to.equal(null);
  });

  it('is the last of our events and none of others, also for another process', async () => {
    const { store } = await logs.open(server.url);
    const { store: elsewhere } = await logs.open(server.url);
    const { store: theirs } = await logs.open(server.url, 'theirs.');
    for (let round = 0; round < 3; round += 1) {
      const [ours] = await appendMixed(store, 1, 1);
      others(20);
      await appendMixed(theirs, 1, 2);
      const pages = await pagesUntil(elsewhere, { after: null }, (events) =>
        idsOf(events).includes(ours?.id ?? ''),
      );
      const last = eventsOf(pages).at(-1);

      expect(await elsewhere.head()).to.equal(last?.position);
      expect(await store.head()).to.equal(last?.position);
    }
  });

  it('is not searched for again among what was looked at before', async () => {
    const { store } = await logs.open(server.url);
    const { store: elsewhere } = await logs.open(server.url);
    await appendMixed(store, 1, 1);
    others(200);
    const head = await elsewhere.head();
    const before = reads();
    others(5);

    expect(await elsewhere.head()).to.equal(head);
    expect(reads() - before).to.equal(1);
  });

  it('is not searched for by the next process where one has searched for long', async () => {
    const { store } = await logs.open(server.url);
    const { store: searching } = await logs.open(server.url);
    await appendMixed(store, 1, 1);
    others(300);
    const head = await searching.head();
    const { store: next } = await logs.open(server.url);
    const before = reads();

    expect(await next.head()).to.equal(head);
    expect(reads() - before).to.be.below(3);
  });

  it('is searched for in several calls where one has not the time, and none begins anew', async () => {
    const { store } = await logs.open(server.url);
    await appendMixed(store, 1, 1);
    const { store: elsewhere } = await logs.open(server.url, PREFIX, SHORT_MS);
    others(400);
    // All of its pages take longer than one call may: a search that began anew would never end.
    server.faults.on('read', { kind: 'slow', ms: SHORT_MS / 5 });
    let unfinished = 0;
    let head: string | null = null;
    while (head === null) {
      try {
        head = await elsewhere.head();
      } catch (error) {
        // A page that took too long by itself says something of the machine, and is asked for again.
        if (!(error instanceof StoreUnavailable)) throw error;
        if (!error.message.includes('events of others')) continue;
        unfinished += 1;
        others(3);
      }
    }

    expect(unfinished).to.be.greaterThan(0);
    expect(head).to.equal(await store.head());
  });

  it('is searched for at a start for as long as it takes, and no process begins anew', async () => {
    const { store } = await logs.open(server.url);
    await appendMixed(store, 1, 1);
    const head = await store.head();
    others(1_000);
    const slow = server.faults.on('read', { kind: 'slow', ms: SHORT_MS / 10 });
    const { store: starting } = await logs.open(server.url, PREFIX, SHORT_MS);
    expect(await starting.head()).to.equal(head);
    const searched = slow.met();
    const { store: next } = await logs.open(server.url, PREFIX, SHORT_MS);
    expect(await next.head()).to.equal(head);
    expect(slow.met() - searched).to.be.below(searched / 2);
  });

  it('is found behind large events of others, which come by fewer', async () => {
    const { store } = await logs.open(server.url);
    await appendMixed(store, 1, 1);
    const large = { ...systemEvent('TheirsHappened', {}), data: Buffer.alloc(LARGE_BYTES, 7), isJson: false };
    server.ledger.store(
      'others-2',
      Array.from({ length: 122 }, () => ({ ...large, id: randomUUID() })),
    );
    const before = reads();
    const { store: starting } = await logs.open(server.url);
    expect(await starting.head()).to.equal(await store.head());
    // Of a page with so many as there may be of small ones, all would come in three.
    expect(reads() - before).to.be.greaterThan(20);
  });

  it('cannot be told without a server', async () => {
    const { store } = await logs.open(server.url, PREFIX, DEADLINE_MS);
    server.faults.on('read', { kind: 'silence' });

    expect(await rejectionOf(store.head())).to.be.instanceOf(StoreUnavailable);
  });
});
