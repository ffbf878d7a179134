import { expect } from 'chai';
import { createDeliveryPlaces } from '../../src/tasks/delivery-places.ts';

describe('places for messages on their way', () => {
  const slow = (endpoint: number, account = 'acc_slow') => ({
    accountId: account,
    endpointId: `${account} ${endpoint}`,
  });

  it('are never all one account’s, however many endpoints it has', () => {
    const places = createDeliveryPlaces(256, 64);
    let taken = 0;
    for (let at = 0; at < 8 * 32; at += 1) if ('leave' in places.take(slow(at % 8), 0)) taken += 1;
    expect(taken).to.equal(64);
    expect(places.take(slow(0, 'acc_other'), 0)).to.have.property('leave');
  });

  it('are fewer for each account once half are taken, so that sixteen accounts do not have them all', () => {
    const places = createDeliveryPlaces(256, 64);
    let taken = 0;
    for (let account = 0; account < 8; account += 1)
      for (let at = 0; at < 64; at += 1)
        if ('leave' in places.take(slow(at % 8, `acc_${account}`), 0)) taken += 1;
    expect(taken).to.be.at.most(64 + 64 + 6 * 16);
    expect(places.take(slow(0, 'acc_other'), 0)).to.have.property('leave');
  });

  it('come free again, and what found none comes again later', () => {
    const places = createDeliveryPlaces(256, 64);
    const first = places.take(slow(0), 0);
    for (let at = 1; at < 32; at += 1) places.take(slow(0), 0);
    expect(places.take(slow(0), 5_000)).to.deep.equal({ atMs: 6_000 });
    if ('leave' in first) first.leave();
    expect(places.take(slow(0), 0)).to.have.property('leave');
  });
});
