/** The driver finds MongoDB again after it was away, unless its own look-out has died with a connection: then we do. */
import type { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { MongoNetworkError } from 'mongodb';
import { connectMongo, type MongoLink } from '../../../infra/mongodb/connection.ts';
import { type OwnMongo, startMongo, withOwnMongo } from '../../support/mongodb-server.ts';
import { until } from '../../support/until.ts';

withOwnMongo('A driver of MongoDB that has lost sight of it', () => {
  let server: OwnMongo;
  let link: MongoLink;
  before(async function () {
    server = await startMongo();
    link = await connectMongo({ url: server.url, deadlineMs: 500 });
  });
  after(async () => {
    await link.close();
    await server.close();
  });
  const answers = (): Promise<boolean> =>
    link
      .ask(() => link.db.command({ ping: 1 }))
      .then(
        () => true,
        () => false,
      );

  it('answers again, over a connection that was made anew', async () => {
    expect(await answers()).to.equal(true);
    endLookOut(link);
    expect(await answers()).to.equal(false);
    await until('it is back', answers);
  });
});

/** As if its connection had closed at the moment in which it asked: it knows of no server, and looks no more. */
function endLookOut({ db }: MongoLink): void {
  const { topology } = db.client as unknown as {
    topology: { s: { servers: Map<string, { monitor: EventEmitter & { monitorId: { stop(): void } } }> } };
  };
  for (const { monitor } of topology.s.servers.values()) {
    monitor.monitorId.stop();
    monitor.emit('resetServer', new MongoNetworkError('closed'));
  }
}
