import { expect } from 'chai';
import { z } from 'zod';
import { QueueUnavailable } from '../../src/ports/queue.ts';
import { payloadOf } from '../../src/tasks/task-payload.ts';

const schema = z.object({ agent: z.string() });

describe('The payload of a task', () => {
  const task = { id: 'tsk_1', name: 'rescore-agent', addedAtMs: 0, attempt: 1, claim: '1' };

  it('is what it was added with', () => {
    expect(payloadOf({ ...task, payload: '{"agent":"a"}' }, schema)).to.deep.equal({ agent: 'a' });
  });

  it('is told to be damaged where the queue gives back something else, and is no bug', () => {
    for (const payload of ['', '{"agent":"a"', '{"agens":"a"}', 'null'])
      expect(() => payloadOf({ ...task, payload }, schema)).to.throw(QueueUnavailable, 'tsk_1 is damaged');
  });
});
