import { expect } from 'chai';
import { createBatchRooms, MAX_CHARACTERS, MAX_CHARACTERS_IN_ALL } from '../../src/mcp/batch-room.ts';

describe('The room for answers to batches', () => {
  it('is full for one answer at so many characters, and for nobody else', () => {
    const rooms = createBatchRooms();
    const [mine, theirs] = [rooms.enter(), rooms.enter()];
    mine.take(MAX_CHARACTERS - 1);
    expect(mine.refusal()).to.equal(null);
    mine.take(1);
    expect(mine.refusal()).to.include({ code: 'invalid_request' });
    expect(theirs.refusal()).to.equal(null);
  });

  it('is full for all at so many together, until answers are written', async () => {
    const rooms = createBatchRooms();
    const many = Array.from({ length: MAX_CHARACTERS_IN_ALL / MAX_CHARACTERS }, () => rooms.enter());
    const next = rooms.enter();
    for (const room of many) {
      expect(next.refusal()).to.equal(null);
      room.take(MAX_CHARACTERS);
    }
    expect(next.refusal()).to.include({ code: 'unavailable', retryAfterSeconds: 1 });
    many[0]?.leave();
    expect(next.refusal(), 'it is about to be written').to.include({ code: 'unavailable' });
    await new Promise(setImmediate);
    expect(next.refusal()).to.equal(null);
    next.take(MAX_CHARACTERS - 1);
    expect(rooms.enter().refusal()).to.equal(null);
    next.take(1);
    expect(rooms.enter().refusal()).to.include({ code: 'unavailable' });
  });
});
