import { expect } from 'chai';
import { createStreamQueues } from '../../src/commanding/stream-queue.ts';

describe('The queues of streams', () => {
  it('are idle only when what was added upon the last answer is done too', async () => {
    const done: string[] = [];
    const queues = createStreamQueues<string>(async (streamId) => {
      if (streamId === 'second') await new Promise(setImmediate);
      done.push(streamId);
    });
    queues.add('first', 'a command');
    const idle = queues.idle();
    // At the very moment at which the queues are empty, before anybody who waits for that is awake.
    while (queues.depth() > 0) await Promise.resolve();
    queues.add('second', 'what its sender asks for next');

    await idle;
    expect(done).to.deep.equal(['first', 'second']);
  });
});
