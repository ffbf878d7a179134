/** A cluster of doubles over one ledger: what one node takes all nodes have at once, and one of them leads. */
import type { Member } from './cluster-calls.ts';
import { HOST } from './connections.ts';
import { type DoubleOptions, type EventStoreDouble, startEventStoreDouble } from './double.ts';
import { createLedger } from './ledger.ts';

export interface EventStoreCluster {
  readonly nodes: readonly EventStoreDouble[];
  /** Names every node; a client asks them who leads. */
  readonly url: string;
  /** Names one node, to be asked for the others. */
  readonly discoverUrl: string;
  /** Makes another node the leader. Connections stay: clients find out by being refused, as after an election. */
  readonly elect: (index: number) => void;
  readonly stop: () => Promise<void>;
}

/** The first node leads. */
export async function startEventStoreCluster(
  size: number,
  options: Pick<DoubleOptions, 'ledger' | 'generation'> = {},
): Promise<EventStoreCluster> {
  const ledger = options.ledger ?? createLedger();
  const nodes: EventStoreDouble[] = [];
  let leading = 0;
  const members = (): readonly Member[] =>
    nodes.map(({ port }, index) => ({
      host: HOST,
      port,
      state: index === leading ? 'leader' : 'follower',
      isAlive: true,
    }));
  for (let index = 0; index < size; index += 1) {
    nodes.push(await startEventStoreDouble({ ...options, ledger, members }));
  }
  const elect = (index: number): void => {
    leading = index;
    const leader = nodes[index];
    if (leader === undefined) throw new RangeError(`the cluster has no node ${index}`);
    for (const node of nodes) node.follow(node === leader ? null : { host: HOST, port: leader.port });
  };
  elect(0);
  const hosts = nodes.map(({ port }) => `${HOST}:${port}`);
  return {
    nodes,
    url: `esdb://${hosts.join(',')}?tls=false`,
    discoverUrl: `esdb+discover://${hosts[0]}?tls=false`,
    elect,
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}
