/** What is done from a terminal is so at every node when the command ends, whichever process keeps the views then. */
import { expect } from 'chai';
import type { Life } from '../support/built-program.ts';
import { engineSets, type RunningEngines, withEngines } from '../support/engine-sets.ts';
import { ask, type Fleet, startFleet } from '../support/fleet.ts';

for (const engines of engineSets.filter(({ isShared }) => isShared)) {
  withEngines(`The command line beside a fleet on ${engines.name}`, engines, (startEngines) => {
    let running: RunningEngines;
    let fleet: Fleet;
    let projector: Life;
    let urls: readonly string[];

    before(async function () {
      this.timeout(240_000);
      running = await startEngines();
      fleet = await startFleet(running.settings, ['projector', 'api', 'api']);
      urls = fleet.urls;
      projector = fleet.lives[0]!;
    });
    after(async () => {
      const exits = await fleet.stop();
      await running.close();
      expect(exits).to.deep.equal([0, 0, 0]);
    });

    const newKey = () => fleet.newKey('buyer', 'trials:create,mandate:read,webhooks:manage');
    const statusesOf = (key: string): Promise<readonly number[]> =>
      Promise.all(urls.map(async (url) => (await ask(`${url}/v1/mandate`, key)).status));
    const endpointsAt = (key: string) =>
      Promise.all(
        urls.map(async (url) => {
          const { data } = JSON.parse(await (await ask(`${url}/v1/webhook-endpoints`, key)).text());
          return data.map(({ status }: { status: string }) => status);
        }),
      );

    async function changesOfKeysHold(): Promise<void> {
      const { keyId, key } = await newKey();
      expect(await statusesOf(key), 'made').to.deep.equal([200, 200]);
      const { key: rotated = '' } = await fleet.bourse('key', 'rotate', keyId);
      expect(await statusesOf(key), 'the old secret').to.deep.equal([401, 401]);
      expect(await statusesOf(rotated), 'the new one').to.deep.equal([200, 200]);
      await fleet.bourse('key', 'suspend', keyId);
      expect(await Promise.all(urls.map((url) => trial(url, rotated))), 'suspended').to.deep.equal([
        403, 403,
      ]);
      await fleet.bourse('key', 'resume', keyId);
      expect(await Promise.all(urls.map((url) => trial(url, rotated))), 'resumed').to.deep.equal([201, 201]);
      await fleet.bourse('key', 'revoke', keyId);
      expect(await statusesOf(rotated), 'revoked').to.deep.equal([401, 401]);
    }

    it('changes keys and mandates', changesOfKeysHold).timeout(240_000);

    it('changes endpoints', async () => {
      const { key } = await newKey();
      const owner = ['--account', 'buyer'];
      const { endpointId = '' } = await fleet.bourse('webhook', 'add', 'https://buyer.example/', ...owner);
      expect(await endpointsAt(key)).to.deep.equal([['enabled'], ['enabled']]);
      await fleet.bourse('webhook', 'disable', endpointId, ...owner);
      expect(await endpointsAt(key)).to.deep.equal([['disabled'], ['disabled']]);
      await fleet.bourse('webhook', 'remove', endpointId, ...owner);
      expect(await endpointsAt(key)).to.deep.equal([[], []]);
    }).timeout(240_000);

    it('does so as well while the process that keeps the views is halted', async () => {
      projector.halt();
      await changesOfKeysHold();
      projector.goOn();
    }).timeout(240_000);
  });
}

async function trial(url: string, key: string): Promise<number> {
  const response = await ask(`${url}/v1/trials`, key, { agent: 'invoice-matcher', brief: 'Match.' });
  await response.text();
  return response.status;
}
