/** When MongoDB counts as away, and when no longer. */
import { expect } from 'chai';
import { MongoNetworkError, MongoServerSelectionError, type TopologyDescription } from 'mongodb';
import { type Outage, outage, Silence } from '../../../infra/mongodb/outage.ts';
import { until } from '../../support/until.ts';

const silence = new Silence('no answer within 1 ms');

describe('An outage of MongoDB', () => {
  let pings: { readonly answer: () => void; readonly fail: () => void }[];
  let away: Outage;
  let connections: number;
  beforeEach(() => {
    pings = [];
    connections = 1;
    away = outage({
      ping: () =>
        new Promise<void>((resolve, reject) => {
          pings.push({ answer: resolve, fail: () => reject(silence) });
        }),
      async connectAnew() {
        connections += 1;
        throw silence;
      },
    });
  });
  afterEach(() => away.end());
  const isOver = () => away.cause() === undefined;
  const suspectNow = (error: unknown) => away.suspect(error, performance.now());

  it('begins where nobody answers, not where a connection breaks or something is refused', () => {
    for (const error of [new MongoNetworkError('broken'), new TypeError('ours'), 'nothing'])
      suspectNow(error);
    expect(isOver()).to.equal(true);
    expect(pings).to.have.lengthOf(0);
    const noServer = new MongoServerSelectionError('nobody', {} as TopologyDescription);
    suspectNow(noServer);
    expect(away.cause()).to.equal(noServer);
  });

  it('is looked after by one ping at a time, however many suspect it, until one is answered', async () => {
    for (let i = 0; i < 100; i++) suspectNow(silence);
    expect(pings).to.have.lengthOf(1);
    pings[0]?.fail();
    await until('it is asked again', () => pings.length === 2);
    expect(isOver()).to.equal(false);
    pings[1]?.answer();
    await until('it is over', isOver);
    expect(pings).to.have.lengthOf(2);
  });

  it('is looked after over a new connection now and then, also when that could not be made', async () => {
    suspectNow(silence);
    for (let failed = 1; failed <= 4; failed++) {
      pings.at(-1)?.fail();
      if (failed < 3) await until('it is asked again', () => pings.length > failed);
    }
    await until('it is asked again', () => pings.length > 3);
    expect(connections).to.equal(2);
  });

  it('is not begun again by who asked before it was over', async () => {
    const longAgoMs = performance.now();
    suspectNow(silence);
    pings[0]?.answer();
    await until('it is over', isOver);
    away.suspect(silence, longAgoMs);
    expect(isOver()).to.equal(true);
    suspectNow(silence);
    expect(isOver()).to.equal(false);
  });

  it('is looked after no more when nobody needs to know', async () => {
    suspectNow(silence);
    away.end();
    pings[0]?.fail();
    suspectNow(silence);
    await new Promise((resolve) => setImmediate(resolve));
    expect(pings).to.have.lengthOf(1);
  });
});
