/** MongoDB that loses its data while processes use it: it comes back empty, or as an older backup had it. */
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import type { EventStore } from '../../../events/event-store.ts';
import { memoryEventStore } from '../../contract/memory/event-store.ts';
import { openMongoViewStore } from '../../../infra/mongodb/view-store.ts';
import { type ViewStore, ViewsUnavailable } from '../../../projections/view-store.ts';
import {
  contents,
  filled,
  happen,
  opened,
  projections,
  projectorOn,
  replay,
  type Running,
} from '../../projecting/projector.fixture.ts';
import { type MongoDatabase, newMongoDatabase, withMongo } from '../../support/mongodb-server.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { until } from '../../support/until.ts';

withMongo('MongoDB views whose data is lost', () => {
  let database: MongoDatabase;
  let administrator: MongoClient;
  let log: EventStore;
  let reader: ViewStore;
  let writer: ViewStore;
  let running: Running;

  beforeEach(async () => {
    database = await newMongoDatabase();
    administrator = new MongoClient(database.url);
    log = memoryEventStore();
    reader = await openMongoViewStore({ url: database.url });
    writer = await openMongoViewStore({ url: database.url });
    running = projectorOn(log, writer);
    await happen(log, [opened('a'), filled('a', 3), opened('b', 'bob'), filled('b', 4, 'bob')]);
    await running.projector.start();
    await running.projector.caughtUp();
    await reader.open(projections);
    expect(await contents(reader)).to.deep.equal(await replay(log));
  });
  afterEach(async () => {
    await running.projector.stop();
    await Promise.all([reader.close(), writer.close(), administrator.close()]);
    await database.close();
  });

  const becomeWholeAgain = (): Promise<void> =>
    until('the views are whole again', async () => {
      const standing = await reader.status();
      const head = await log.head();
      const isWhole = standing.every(({ live, checkpoint }) => live && checkpoint === head);
      return isWhole && standing.length === projections.length;
    });

  it('are unavailable to readers for as long as there are none', async () => {
    await running.projector.stop();
    await administrator.db().dropDatabase();
    const query = { filter: {}, order: '-total', limit: 10 };
    expect(await rejectionOf(reader.page('boxes', query))).to.be.an.instanceOf(ViewsUnavailable);
    await until('documents are unavailable', () => isUnavailable(reader));
    expect(await rejectionOf(reader.getJson('bowls', 'a'))).to.be.an.instanceOf(RangeError);
  });

  it('are made anew by the projector that runs, and read by whoever knew the old ones', async () => {
    const old = (await reader.status()).map(({ generation }) => generation);
    await administrator.db().dropDatabase();
    await becomeWholeAgain();
    expect(await contents(reader)).to.deep.equal(await replay(log));
    expect((await reader.status()).map(({ generation }) => generation)).not.to.include.members(old);
  });

  it('are never half there for readers', async () => {
    for (let i = 0; i < 300; i++) await happen(log, [opened(`box ${i}`)]);
    await running.projector.caughtUp();
    const whole = await contents(reader);
    await administrator.db().dropDatabase();
    let isOver = false;
    const over = becomeWholeAgain().finally(() => (isOver = true));
    let refusals = 0;
    while (!isOver) {
      const seen = await contents(reader).catch((error: unknown) => error);
      if (seen instanceof ViewsUnavailable) refusals += 1;
      else expect(seen).to.deep.equal(whole);
    }
    await over;
    expect(refusals).to.be.greaterThan(0);
  });

  it('go on from where an older backup has them, before anything else happens', async () => {
    const backup = await dump(administrator);
    await happen(log, [filled('a', 10)]);
    await running.projector.caughtUp();
    await restore(administrator, backup);
    await becomeWholeAgain();
    expect(await contents(reader)).to.deep.equal(await replay(log));
  });
});

async function isUnavailable(reader: ViewStore): Promise<boolean> {
  try {
    await reader.getJson('boxes', 'a');
    return false;
  } catch (error) {
    return error instanceof ViewsUnavailable;
  }
}

type Backup = ReadonlyMap<string, readonly object[]>;

async function dump(client: MongoClient): Promise<Backup> {
  const collections = await client.db().listCollections().toArray();
  const kept = collections.map(async ({ name }): Promise<[string, object[]]> => {
    return [name, await client.db().collection(name).find().toArray()];
  });
  return new Map(await Promise.all(kept));
}

async function restore(client: MongoClient, backup: Backup): Promise<void> {
  for (const [name, documents] of backup) {
    await client.db().collection(name).deleteMany({});
    if (documents.length > 0)
      await client
        .db()
        .collection(name)
        .insertMany([...documents]);
  }
}
