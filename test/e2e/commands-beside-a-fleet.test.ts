/** What is done from a terminal is so at every node when the command ends, whichever process keeps the views then. */
import { expect } from 'chai';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { engineSets, type RunningEngines, withEngines } from '../support/engine-sets.ts';
import { inMarket } from '../support/own-market.ts';
import { publishExamples } from '../support/memory-market.ts';

for (const engines of engineSets.filter(({ isShared }) => isShared)) {
  withEngines(`The command line beside a fleet on ${engines.name}`, engines, (startEngines) => {
    let running: RunningEngines;
    let program: Program;
    let projector: Life;
    let lives: readonly Life[];
    let urls: readonly string[];

    before(async function () {
      this.timeout(60_000);
      running = await startEngines();
      program = await buildProgram();
      await inMarket(running.settings, ({ services }) => publishExamples(services));
      const start = (ROLE: string): Life => program.start({ ...running.settings, ROLE });
      projector = start('projector');
      const apis = [start('api'), start('api')];
      lives = [projector, ...apis];
      urls = await Promise.all(apis.map(({ url }) => url));
      await projector.url;
    });
    after(async () => {
      projector.goOn();
      const exits = await Promise.all(lives.map((life) => life.stop()));
      await program.remove();
      await running.close();
      expect(exits).to.deep.equal([0, 0, 0]);
    });

    const bourse = async (...args: readonly string[]) =>
      JSON.parse(await program.run(running.settings, [...args, '--json']));
    const newKey = (): Promise<{ readonly keyId: string; readonly key: string }> => {
      const scopes = ['--scopes', 'trials:create,mandate:read,webhooks:manage', '--allow', 'trial:create'];
      const caps = ['--max-per-transaction', '10000', '--max-monthly', '100000'];
      return bourse('key', 'create', '--account', 'buyer', '--name', 'b', ...scopes, ...caps);
    };
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
      const rotated = (await bourse('key', 'rotate', keyId)).key;
      expect(await statusesOf(key), 'the old secret').to.deep.equal([401, 401]);
      expect(await statusesOf(rotated), 'the new one').to.deep.equal([200, 200]);
      await bourse('key', 'suspend', keyId);
      expect(await Promise.all(urls.map((url) => trial(url, rotated))), 'suspended').to.deep.equal([
        403, 403,
      ]);
      await bourse('key', 'resume', keyId);
      expect(await Promise.all(urls.map((url) => trial(url, rotated))), 'resumed').to.deep.equal([201, 201]);
      await bourse('key', 'revoke', keyId);
      expect(await statusesOf(rotated), 'revoked').to.deep.equal([401, 401]);
    }

    it('changes keys and mandates', changesOfKeysHold).timeout(60_000);

    it('changes endpoints', async () => {
      const { key } = await newKey();
      const owner = ['--account', 'buyer'];
      const { endpointId } = await bourse('webhook', 'add', 'https://buyer.example/', ...owner);
      expect(await endpointsAt(key)).to.deep.equal([['enabled'], ['enabled']]);
      await bourse('webhook', 'disable', endpointId, ...owner);
      expect(await endpointsAt(key)).to.deep.equal([['disabled'], ['disabled']]);
      await bourse('webhook', 'remove', endpointId, ...owner);
      expect(await endpointsAt(key)).to.deep.equal([[], []]);
    }).timeout(60_000);

    it('does so as well while the process that keeps the views is halted', async () => {
      projector.halt();
      await changesOfKeysHold();
      projector.goOn();
    }).timeout(90_000);
  });
}

function ask(url: string, key: string, body?: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  return fetch(
    url,
    body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
  );
}

async function trial(url: string, key: string): Promise<number> {
  const response = await ask(`${url}/v1/trials`, key, { agent: 'invoice-matcher', brief: 'Match.' });
  await response.text();
  return response.status;
}
