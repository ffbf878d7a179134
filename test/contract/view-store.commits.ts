/** Commits: each counts from where its generation stands, and for one writer only. */
import { expect } from 'chai';
import { put, type Shelf, shelf } from './view-store.shelf.ts';

export function commitsFromCheckpoints({ store, connect, opened, fill, keysOf }: Shelf): void {
  describe('commits', () => {
    it('count only from the checkpoint where the generation stands', async () => {
      const { generation } = await fill([put('x')]);
      const stale = { view: 'shelf', generation, from: null, to: '9', writes: [put('z')] };
      expect(await store().commit([stale])).to.deep.equal(['shelf']);
      expect(await store().getJson('shelf', 'z')).to.equal(undefined);
      expect((await opened()).checkpoint).to.equal('1');
    });

    it('keep the mark of the log with the checkpoint, and the one before where there is none', async () => {
      const { generation } = await opened();
      const digest = { position: '0', sha256: 'd' };
      const mark = { logId: 'log', position: '1', eventId: 'evt', at: '2026-11-27T12:00:00.000Z', digest };
      const step = { view: 'shelf', generation, writes: [] };
      const marks = async () => (await store().marks()).find((one) => one.generation === generation);
      expect(await marks()).to.deep.equal({ view: 'shelf', generation, checkpoint: null, mark: null });
      await store().commit([{ ...step, from: null, to: '1', mark }]);
      expect(await marks()).to.deep.equal({ view: 'shelf', generation, checkpoint: '1', mark });
      await store().commit([{ ...step, from: '9', to: '10', mark: { ...mark, position: '10' } }]);
      await store().commit([{ ...step, from: '1', to: '2' }]);
      expect(await marks()).to.deep.equal({ view: 'shelf', generation, checkpoint: '2', mark });
    });

    it('find no generation once all are forgotten, live or not, and a new one may begin', async () => {
      const { generation } = await fill([put('x')]);
      await store().beginGeneration(shelf);
      await store().forgetAll();
      expect(await store().status()).to.deep.equal([]);
      await store().forgetAll();
      const lost = { view: 'shelf', generation, from: '1', to: '2', writes: [put('y')] };
      expect(await store().commit([lost])).to.deep.equal(['shelf']);
      await store().beginLive([shelf]);
      expect(await store().getJson('shelf', 'x')).to.equal(undefined);
    });

    it('refuse one view and take the others', async () => {
      const { generation } = await fill([]);
      const diary = await opened({ ...shelf, name: 'diary' });
      const refused = await store().commit([
        { view: 'shelf', generation, from: '5', to: '9', writes: [put('x')] },
        { view: 'diary', generation: diary.generation, from: null, to: '9', writes: [put('x')] },
      ]);
      expect(refused).to.deep.equal(['shelf']);
      expect(await store().getJson('shelf', 'x')).to.equal(undefined);
      expect(await store().getJson('diary', 'x')).not.to.equal(undefined);
    });

    it('are refused by a generation that is gone', async () => {
      const { generation } = await store().beginGeneration(shelf);
      await store().dropGeneration('shelf', generation);
      expect(
        await store().commit([{ view: 'shelf', generation, from: null, to: '1', writes: [] }]),
      ).to.deep.equal(['shelf']);
    });

    it('let exactly one of several writers move a checkpoint', async () => {
      const { generation } = await opened();
      const others = await Promise.all([connect(), connect(), connect()]);
      await Promise.all(others.map((other) => other.open([shelf])));
      const refused = await Promise.all(
        others.map((other, i) =>
          other.commit([{ view: 'shelf', generation, from: null, to: '1', writes: [put(`by ${i}`)] }]),
        ),
      );
      expect(refused.filter((one) => one.length === 0)).to.have.length(1);
      expect(await keysOf({})).to.have.length(1);
      await Promise.all(others.map((other) => other.close()));
    });
  });
}
