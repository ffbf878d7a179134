/** Looking out for a lost server: soon, again and again, and not together with the other processes that lost it. */
import { createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { firstReachable, type Host } from '../../../infra/eventstoredb/reachable.ts';
import { freePort, listenAnywhere } from '../../support/ports.ts';

const HOST = '127.0.0.1';
const LOOKERS = 20;
const LOOKS = 5;

describe('Whoever has lost EventStoreDB', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function listening(): Promise<Host> {
    const server = createServer((socket) => socket.destroy());
    servers.push(server);
    return { host: HOST, port: await listenAnywhere(server) };
  }

  const nobody = async (): Promise<Host> => ({ host: HOST, port: await freePort() });

  /** The pauses before each of the first looks of somebody who finds nobody. */
  async function pausesOf(hosts: readonly Host[]): Promise<readonly number[]> {
    const pauses: number[] = [];
    const leaving = new AbortController();
    const found = await firstReachable([hosts], leaving.signal, async (ms) => {
      if (pauses.push(ms) > LOOKS) leaving.abort();
    });
    expect(found).to.equal(undefined);
    return pauses;
  }

  it('looks every 250 to 500 ms, the first time too, and no two processes at the same moments', async () => {
    const hosts = [await nobody()];
    const all = await Promise.all(Array.from({ length: LOOKERS }, () => pausesOf(hosts)));
    for (const ms of all.flat()) expect(ms).to.be.within(250, 500);
    for (let look = 0; look < LOOKS; look += 1) {
      const moments = all.map((pauses) => pauses.slice(0, look + 1).reduce((sum, ms) => sum + ms, 0));
      expect(new Set(moments).size, `look ${look}`).to.equal(LOOKERS);
      // By chance they lie so close together once in a million times.
      expect(Math.max(...moments) - Math.min(...moments)).to.be.greaterThan(100);
    }
  });

  it('finds the one host that is back, and takes the hosts of the address before the members', async () => {
    const [gone, there, other] = [await nobody(), await listening(), await listening()];
    const { signal } = new AbortController();
    const atOnce = async (): Promise<void> => {};
    expect(await firstReachable([[gone, there], [other]], signal, atOnce)).to.deep.equal([gone, there]);
    expect(await firstReachable([[gone], [other]], signal, atOnce)).to.deep.equal([other]);
  });

  it('looks no more once nobody waits', async () => {
    const there = await listening();
    expect(await firstReachable([[there]], AbortSignal.abort())).to.equal(undefined);
  });
});
