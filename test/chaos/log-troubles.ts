/** What can befall the servers of a log, on EventStoreDB's double: as a process of its own, and as a cluster. */
import { setTimeout as delay } from 'node:timers/promises';
import { startEventStoreCluster } from '../support/eventstoredb/cluster.ts';
import type { Generation } from '../support/eventstoredb/generation.ts';
import { createLedger } from '../support/eventstoredb/ledger.ts';
import { startServedDouble } from '../support/served-double.ts';

export interface TroubledLog {
  readonly url: string;
  /** By their names; each is over when it resolves. */
  readonly troubles: Readonly<Record<string, () => Promise<void>>>;
  readonly close: () => Promise<void>;
}

const MAX_AWAY_MS = 1_500;
/** Longer than a call waits for an answer, now and then. */
const MAX_PAUSE_MS = 4_000;
const NODES = 3;

export async function troubledServer(generation: Generation): Promise<TroubledLog> {
  const server = await startServedDouble(generation);
  return {
    url: server.url,
    troubles: {
      async killed() {
        await server.kill();
        await upTo(MAX_AWAY_MS);
        await server.start();
      },
      async paused() {
        server.silence();
        await upTo(MAX_PAUSE_MS);
        server.wake();
      },
    },
    close: server.close,
  };
}

export async function troubledCluster(generation: Generation): Promise<TroubledLog> {
  const ledger = createLedger();
  const { replication } = ledger;
  const cluster = await startEventStoreCluster(NODES, { ledger, generation });
  let leading = 0;
  const elect = async (): Promise<void> => {
    await upTo(MAX_AWAY_MS);
    // What no majority got may have come to the new leader all the same.
    if (Math.random() < 0.5) replication.lose();
    leading = (leading + 1 + Math.floor(Math.random() * (NODES - 1))) % NODES;
    cluster.elect(leading);
    replication.resume();
  };
  const anew = async (index: number): Promise<void> => {
    const isLeader = index === leading;
    if (isLeader) replication.hold();
    await cluster.kill(index);
    if (isLeader) await elect();
    await upTo(MAX_AWAY_MS / NODES);
    await cluster.restart(index);
  };
  return {
    url: cluster.url,
    troubles: {
      async 'without a quorum, then another leader'() {
        replication.hold();
        await upTo(MAX_AWAY_MS);
        cluster.loseLeader();
        await elect();
      },
      'its leader killed': () => anew(leading),
      async 'restarted node by node'() {
        const first = leading;
        for (let step = 1; step <= NODES; step += 1) await anew((first + step) % NODES);
      },
    },
    close: cluster.stop,
  };
}

function upTo(ms: number): Promise<void> {
  return delay(Math.random() * ms);
}
