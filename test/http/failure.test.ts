import { expect } from 'chai';
import { OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';
import { ViewsUnavailable } from '../../projections/view-store.ts';
import { refusalFor } from '../../src/calling/failure.ts';
import { BlobsUnavailable } from '../../src/ports/blobs.ts';
import { QueueUnavailable } from '../../src/ports/queue.ts';

describe('what a caller is told of an exception', () => {
  for (const Unavailable of [StoreUnavailable, ViewsUnavailable, BlobsUnavailable, QueueUnavailable]) {
    it(`${Unavailable.name}: try again, and nothing of the cause`, () => {
      const refusal = refusalFor(new Unavailable('/secret/path is full'), 'req');
      expect(refusal).to.include({ code: 'unavailable', retryAfterSeconds: 1 });
      expect(refusal.message).to.include('Nothing was done').and.not.include('/secret');
    });
  }

  it('an outcome that is not known is not told as nothing', () => {
    expect(refusalFor(new OutcomeUnknown('no answer'), 'req').message).to.not.include('Nothing was done');
  });

  it('anything else is our fault: the request id, and nothing of the cause', () => {
    const refusal = refusalFor(new Error('/secret/path'), 'req_1');
    expect(refusal.code).to.equal('internal');
    expect(refusal.message).to.include('req_1').and.not.include('/secret');
  });
});
