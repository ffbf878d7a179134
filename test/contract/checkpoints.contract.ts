/** What every Checkpoints promises. An adapter's test file hands in how to open one. */
import { expect } from 'chai';
import type { Checkpoints } from '../../events/checkpoints.ts';
import { newStream as newName } from '../support/new-event.ts';

export function checkpointsContract(
  name: string,
  open: () => Promise<{ readonly checkpoints: Checkpoints; readonly close: () => Promise<void> }>,
): void {
  describe(`Checkpoints: ${name}`, () => {
    let checkpoints: Checkpoints;
    let close: () => Promise<void>;

    before(async () => ({ checkpoints, close } = await open()));
    after(() => close());

    it('know no position under a name that was never set', async () => {
      expect(await checkpoints.get(newName())).to.equal(null);
    });

    it('give back the position that was set last, also one that is further back', async () => {
      const reactor = newName();
      await checkpoints.set(reactor, '0000000000000007');
      expect(await checkpoints.get(reactor)).to.equal('0000000000000007');
      await checkpoints.set(reactor, '0000000000000003');
      expect(await checkpoints.get(reactor)).to.equal('0000000000000003');
    });

    it('keep each name apart', async () => {
      const [one, other] = [newName(), newName()];
      await Promise.all([checkpoints.set(one, 'a'), checkpoints.set(other, 'b')]);
      expect([await checkpoints.get(one), await checkpoints.get(other)]).to.deep.equal(['a', 'b']);
    });
  });
}
