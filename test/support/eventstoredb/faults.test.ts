import { type EventStoreDBClient, NO_STREAM, START } from '@eventstore/db-client';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import { credentials, status } from '@grpc/grpc-js';
import { expect } from 'chai';
import { until } from '../until.ts';
import { clientOf, collect, errorOf, event, events, WAYS } from './client-of.ts';
import type { DoubleOptions, EventStoreDouble } from './double.ts';
import type { AnswerFault } from './faults.ts';
import { startWithClient } from './with-client.ts';

/** Long enough for a deadline to be noticed, short enough to wait for. */
const DEADLINE_MS = 200;

let server: EventStoreDouble;
let client: EventStoreDBClient;
let stop: () => Promise<void>;
async function begin(options?: DoubleOptions): Promise<void> {
  ({ server, client, stop } = await startWithClient(options));
}
const stored = (): number => server.ledger.stream('s').length;

describe('faults of appends', () => {
  beforeEach(() => begin());
  afterEach(() => stop());

  const appendOnce = (way: keyof typeof WAYS) =>
    client.appendToStream('s', event(), { expectedRevision: NO_STREAM, ...WAYS[way] });
  const methodOf = (way: keyof typeof WAYS) => (way === 'batch append' ? 'batchAppend' : 'append');

  for (const way of ['batch append', 'unary append'] as const) {
    const failing: readonly (readonly [AnswerFault, number, string])[] = [
      [{ kind: 'status', code: status.UNAVAILABLE }, 0, 'unavailable'],
      [{ kind: 'status', code: status.UNAUTHENTICATED }, 0, 'access-denied'],
      [{ kind: 'status', code: status.DEADLINE_EXCEEDED }, 0, 'deadline-exceeded'],
      [{ kind: 'effect-then-status', code: status.INTERNAL }, 1, 'unknown'],
      [{ kind: 'break' }, 0, 'unavailable'],
      [{ kind: 'effect-then-break' }, 1, 'unavailable'],
      [{ kind: 'wrong-version', current: 41n }, 0, 'wrong-expected-version'],
      [{ kind: 'not-leader', leader: { host: '127.0.0.1', port: 1 } }, 0, 'not-leader'],
    ];
    for (const [fault, written, type] of failing) {
      const details = 'code' in fault ? ` ${status[fault.code]}` : '';
      it(`${fault.kind}${details}: a ${way} fails, ${written === 1 ? 'written' : 'unwritten'}`, async () => {
        const { met } = server.faults.on(methodOf(way), fault);

        expect(await errorOf(appendOnce(way))).to.include({ type });

        expect(stored()).to.equal(written);
        expect(met()).to.equal(1);
      });
    }

    for (const isCommitted of [true, false]) {
      it(`server-timeout: a ${way} fails, ${isCommitted ? 'committed' : 'uncommitted'} as it may be`, async () => {
        server.faults.on(methodOf(way), { kind: 'server-timeout', isCommitted });

        const error = await errorOf(appendOnce(way));

        expect(error['type']).to.be.oneOf(['timeout', 'deadline-exceeded']);
        expect(stored()).to.equal(isCommitted ? 1 : 0);
      });
    }

    it(`late and slow: a ${way} is answered all the same`, async () => {
      for (const kind of ['late', 'slow'] as const) {
        server.faults.on(methodOf(way), { kind, ms: 20 }, 1);
        await client.appendToStream('s', event(), WAYS[way]);
      }

      expect(stored()).to.equal(2);
    });

    it(`held: a ${way} is written at once and answered when it is released`, async () => {
      const held = server.faults.on(methodOf(way), { kind: 'held' });
      let isAnswered = false;
      const append = appendOnce(way).then(() => (isAnswered = true));
      await until('it is written', () => stored() === 1);
      expect(isAnswered).to.be.false;

      held.release();

      await append;
      await client.appendToStream('s', event(), WAYS[way]);
      expect(held.met()).to.equal(2);
    });

    it(`is met by as many calls of a ${way} as it was switched on for, or until it is switched off`, async () => {
      const fault = { kind: 'status', code: status.INTERNAL } as const;
      server.faults.on(methodOf(way), fault, 2);
      await errorOf(appendOnce(way));
      await errorOf(appendOnce(way));
      await appendOnce(way);

      const switched = server.faults.on(methodOf(way), fault);
      await errorOf(appendOnce(way));
      switched.off();
      await client.appendToStream('s', event(), WAYS[way]);

      server.faults.on(methodOf(way), fault);
      server.faults.clear();
      await client.appendToStream('s', event(), WAYS[way]);
      expect(stored()).to.equal(3);
    });
  }

  it('silence: the server says nothing, having written or not', async () => {
    const impatient = clientOf(server, DEADLINE_MS);
    const unary = () => impatient.appendToStream('s', event(), WAYS['unary append']);

    server.faults.on('append', { kind: 'silence' }, 1);
    expect(await errorOf(unary())).to.include({ type: 'deadline-exceeded' });
    expect(stored()).to.equal(0);
    server.faults.on('append', { kind: 'effect-then-silence' }, 1);
    expect(await errorOf(unary())).to.include({ type: 'deadline-exceeded' });
    expect(stored()).to.equal(1);

    await impatient.dispose();
  });

  it('says nothing of what it lists either, and fails it', async () => {
    server.faults.on('supportedMethods', { kind: 'status', code: status.INTERNAL }, 1);

    expect(await errorOf(appendOnce('batch append'))).to.include({ code: status.INTERNAL });
    expect(stored()).to.equal(0);
  });
});

describe('faults of reads and subscriptions', () => {
  beforeEach(async () => {
    await begin();
    await client.appendToStream('s', events(10));
  });
  afterEach(() => stop());

  it('status, not-leader, break: they fail at once', async () => {
    const read = () => collect(client.readStream('s'));
    server.faults.on('read', { kind: 'status', code: status.INTERNAL }, 1);
    expect(await errorOf(read())).to.include({ code: status.INTERNAL });
    server.faults.on('subscribe', { kind: 'status', code: status.INTERNAL }, 1);
    expect(await errorOf(collect(client.subscribeToAll()))).to.include({ code: status.INTERNAL });
    server.faults.on('read', { kind: 'break' }, 1);
    expect(await errorOf(read())).to.include({ type: 'unavailable' });
  });

  it('drop-after, break-after, end-after: they give so many events first', async () => {
    const endings = [
      [{ kind: 'drop-after', events: 3, code: status.INTERNAL }, { code: status.INTERNAL }],
      [{ kind: 'break-after', events: 3 }, { code: status.UNAVAILABLE }],
      [{ kind: 'end-after', events: 3 }, null],
    ] as const;
    for (const [fault, failure] of endings) {
      for (const method of ['read', 'subscribe'] as const) {
        server.faults.on(method, fault, 1);
        const stream = method === 'read' ? client.readStream('s') : client.subscribeToStream('s');
        let given = 0;
        const whole = (async () => {
          for await (const _ of stream) given += 1;
        })();

        const error = await whole.then(
          () => null,
          (thrown) => thrown,
        );
        if (failure === null) expect(error).to.equal(null);
        else expect(error).to.include(failure);
        // What was on its way when the connection broke may be lost with it.
        expect(given).to.equal(fault.kind === 'break-after' ? given : 3);
        await until('the client has a connection again', () =>
          collect(client.readStream('s')).then(
            (all) => all.length === 10,
            () => false,
          ),
        );
      }
    }
  });

  it('silence-after: they give so many events and then nothing', async () => {
    server.faults.on('subscribe', { kind: 'silence-after', events: 3 });
    const subscription = client.subscribeToAll({ fromPosition: START });
    let given = 0;
    subscription.on('data', () => (given += 1));
    await until('three are given', () => given === 3);
    await client.appendToStream('s', events(1));
    // The server has long said more to who asks it now.
    server.faults.clear();
    expect(await collect(client.readStream('s'))).to.have.length(11);

    expect(given).to.equal(3);
    await subscription.unsubscribe();
  });

  it('slow, held: they begin later', async () => {
    server.faults.on('read', { kind: 'slow', ms: 20 }, 1);
    expect(await collect(client.readStream('s'))).to.have.length(10);
    const held = server.faults.on('read', { kind: 'held' }, 1);
    const read = collect(client.readStream('s'));
    await until('it is asked for', () => held.met() === 1);
    held.release();
    expect(await read).to.have.length(10);
  });
});

describe('faults of the whole server', () => {
  afterEach(() => stop());

  it('too old to list what it supports: appends go one by one', async () => {
    await begin({ version: null });

    await client.appendToStream('s', events(1));

    const { calls } = server.stats();
    expect([calls.append, calls.batchAppend]).to.deep.equal([1, 0]);
  });

  it('tells its version', async () => {
    await begin({ version: '21.10.0' });

    const asking = new featuresGrpc.ServerFeaturesClient(
      `127.0.0.1:${server.port}`,
      credentials.createInsecure(),
    );
    const version = await new Promise((resolve, reject) => {
      asking.getSupportedMethods(new sharedPb.Empty(), (error, methods) => {
        if (error === null) resolve(methods.getEventStoreServerVersion());
        else reject(error);
      });
    });
    asking.close();

    expect(version).to.equal('21.10.0');
  });

  it('cuts every connection, and serves new ones', async () => {
    await begin();
    await client.appendToStream('s', events(1));
    const lost = errorOf(collect(client.subscribeToAll()));
    await until('it subscribed', () => server.stats().openSubscriptions === 1);

    server.cutConnections();

    expect(await lost).to.include({ type: 'unavailable' });
    await until('it is served again', () =>
      collect(client.readStream('s')).then(
        (all) => all.length === 1,
        () => false,
      ),
    );
    expect(server.stats().connectionsEver).to.equal(2);
  });

  it('accepts connections and says nothing at all', async () => {
    await begin();
    server.sayNothing(true);
    const impatient = clientOf(server, DEADLINE_MS);

    const error = await errorOf(impatient.appendToStream('s', event(), WAYS['unary append']));

    expect(error).to.include({ type: 'deadline-exceeded' });
    expect(server.stats()).to.include({ openConnections: 1 });
    expect(stored()).to.equal(0);
    await impatient.dispose();
  });
});
