/** A cluster of doubles over one ledger: what one node takes all nodes have at once, and one of them leads. */
import type { Member } from './cluster-calls.ts';
import { HOST } from './connections.ts';
import { type DoubleOptions, type EventStoreDouble, startEventStoreDouble } from './double.ts';
import { createLedger } from './ledger.ts';

export interface EventStoreCluster {
  /** As they run now: one that was started again is another. */
  readonly nodes: readonly EventStoreDouble[];
  /** Names every node; a client asks them who leads. */
  readonly url: string;
  /** Names one node, to be asked for the others. */
  readonly discoverUrl: string;
  /** Makes another node the leader. Connections stay: clients find out by being refused, as after an election. */
  readonly elect: (index: number) => void;
  /** No node knows of a leader, until one is elected. */
  readonly loseLeader: () => void;
  /** Ends a node and its connections at once. With the leader gone there is none until another is elected. */
  readonly kill: (index: number) => Promise<void>;
  /** Starts a killed node again where it was; it follows whoever leads. */
  readonly restart: (index: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The first node leads. */
export async function startEventStoreCluster(
  size: number,
  options: Pick<DoubleOptions, 'ledger' | 'generation'> = {},
): Promise<EventStoreCluster> {
  const ledger = options.ledger ?? createLedger();
  const nodes: EventStoreDouble[] = [];
  const killed = new Set<number>();
  let leading: number | null = 0;
  const members = (): readonly Member[] =>
    nodes.map(({ port }, index) => ({
      host: HOST,
      port,
      state: stateOf(leading, index),
      isAlive: !killed.has(index),
    }));
  for (let index = 0; index < size; index += 1) {
    nodes.push(await startEventStoreDouble({ ...options, ledger, members }));
  }
  const nodeAt = (index: number): EventStoreDouble => {
    const node = nodes[index];
    if (node === undefined) throw new RangeError(`the cluster has no node ${index}`);
    return node;
  };
  const takeRole = (index: number): void => {
    if (leading === null) nodeAt(index).loseLeader();
    else nodeAt(index).follow(index === leading ? null : { host: HOST, port: nodeAt(leading).port });
  };
  const lead = (index: number | null): void => {
    leading = index;
    for (const each of nodes.keys()) takeRole(each);
  };
  const elect = (index: number): void => {
    if (killed.has(index)) throw new RangeError(`node ${index} is not there to be elected`);
    nodeAt(index);
    lead(index);
  };
  elect(0);
  const hosts = nodes.map(({ port }) => `${HOST}:${port}`);
  return {
    nodes,
    url: `esdb://${hosts.join(',')}?tls=false`,
    discoverUrl: `esdb+discover://${hosts[0]}?tls=false`,
    elect,
    loseLeader: () => lead(null),
    async kill(index) {
      killed.add(index);
      if (leading === index) lead(null);
      await nodeAt(index).stop();
    },
    async restart(index) {
      // It takes its role before the first connection is heard of: nothing else is waited for in between.
      nodes[index] = await startEventStoreDouble({ ...options, ledger, members, port: nodeAt(index).port });
      killed.delete(index);
      takeRole(index);
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}

function stateOf(leading: number | null, index: number): Member['state'] {
  if (leading === null) return 'unknown';
  return index === leading ? 'leader' : 'follower';
}
