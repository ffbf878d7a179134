/**
 * An EventStoreDB 23.10 in memory, for tests: a gRPC server of the client's own service definitions that answers as
 * the real one does wherever a client can see it, and that can be told to misbehave (faults.ts).
 *
 * What it does not have: links and their resolution, projections, persistent subscriptions, scavenges, ACLs.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { IGossipServer } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { IServerFeaturesServer } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { Credentials } from './access.ts';
import { handleBatchAppend } from './batch-append-call.ts';
import type { CallContext } from './call-context.ts';
import { handleGossip, handleSupportedMethods, type Member } from './cluster-calls.ts';
import { faultBox, type Faults, METHODS, type Method } from './faults.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { handleRead } from './read-call.ts';
import type { Endpoint } from './rpc-errors.ts';
import { handleAppend, handleDelete, handleTombstone } from './write-calls.ts';

const HOST = '127.0.0.1';
const VERSION = '23.10.2';

export interface DoubleOptions {
  /** The events it serves and keeps; new and almost empty unless given. */
  readonly ledger?: Ledger;
  /** Any free one unless given. */
  readonly port?: number;
  /** What it asks of callers; nothing unless given. Clients send credentials over TLS only. */
  readonly credentials?: Credentials;
  /** What it says it is; null for a server too old to say. */
  readonly version?: string | null;
  /** The cluster as this node sees it; itself alone, leading, unless given. */
  readonly members?: () => readonly Member[];
}

export interface DoubleStats {
  readonly openConnections: number;
  readonly connectionsEver: number;
  readonly openSubscriptions: number;
  readonly calls: Readonly<Record<Method, number>>;
}

export interface EventStoreDouble {
  /** A connection string. */
  readonly url: string;
  readonly port: number;
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly stats: () => DoubleStats;
  /** Has this node follow `leader`, or lead again when null. */
  readonly follow: (leader: Endpoint | null) => void;
  /** Cuts every connection; new ones are served. */
  readonly cutConnections: () => void;
  /** From now on connections are accepted and nothing at all is said, until called with false. */
  readonly sayNothing: (isSilent: boolean) => void;
  /** Cuts every connection and frees the port; the ledger can be given to another double. */
  readonly stop: () => Promise<void>;
}

export async function startEventStoreDouble(options: DoubleOptions = {}): Promise<EventStoreDouble> {
  const ledger = options.ledger ?? createLedger();
  const faults = faultBox();
  const sockets = new Map<string, Socket>();
  const timers = new Set<NodeJS.Timeout>();
  const calls = Object.fromEntries(METHODS.map((method) => [method, 0])) as Record<Method, number>;
  let connectionsEver = 0;
  let openSubscriptions = 0;
  let leader: Endpoint | null = null;
  let isSilent = false;

  const context: CallContext = {
    ledger,
    faults,
    credentials: options.credentials ?? null,
    leader: () => leader,
    countCall: (method) => void (calls[method] += 1),
    countSubscription() {
      openSubscriptions += 1;
      let isOpen = true;
      return () => {
        if (isOpen) openSubscriptions -= 1;
        isOpen = false;
      };
    },
    later(ms, task) {
      const timer = setTimeout(() => {
        timers.delete(timer);
        task();
      }, ms);
      timers.add(timer);
    },
    cut: (peer) => sockets.get(peer)?.destroy(),
  };

  const grpc = new Server({ 'grpc.max_receive_message_length': 20 * 1024 * 1024 });
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
  const listener = createServer((socket) => {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    connectionsEver += 1;
    sockets.set(peer, socket);
    socket.on('close', () => sockets.delete(peer));
    socket.on('error', () => {});
    if (!isSilent) injector.injectConnection(socket);
  });
  listener.listen(options.port ?? 0, HOST);
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const alone = (): readonly Member[] => [
    { host: HOST, port, state: leader === null ? 'leader' : 'follower', isAlive: true },
  ];
  serve(grpc, context, options.version === undefined ? VERSION : options.version, options.members ?? alone);

  const cutConnections = (): void => {
    for (const socket of sockets.values()) socket.destroy();
  };
  return {
    url: `esdb://${HOST}:${port}?tls=false`,
    port,
    ledger,
    faults,
    stats: () => ({ openConnections: sockets.size, connectionsEver, openSubscriptions, calls: { ...calls } }),
    follow: (to) => void (leader = to),
    cutConnections,
    sayNothing: (silent) => void (isSilent = silent),
    async stop() {
      for (const timer of timers) clearTimeout(timer);
      listener.close();
      cutConnections();
      injector.destroy();
      grpc.forceShutdown();
      await once(listener, 'close');
    },
  };
}

function serve(
  grpc: Server,
  context: CallContext,
  version: string | null,
  members: () => readonly Member[],
): void {
  const streams: IStreamsServer = {
    read: (call) => handleRead(context, call),
    append: (call, callback) => handleAppend(context, call, callback),
    delete: (call, callback) => handleDelete(context, call, callback),
    tombstone: (call, callback) => handleTombstone(context, call, callback),
    batchAppend: (call) => handleBatchAppend(context, call),
  };
  const gossip: IGossipServer = {
    read: (call, callback) => handleGossip(context, members, call, callback),
  };
  grpc.addService(streamsGrpc.StreamsService, streams);
  grpc.addService(gossipGrpc.GossipService, gossip);
  if (version === null) return;
  const features: IServerFeaturesServer = {
    getSupportedMethods: (call, callback) => handleSupportedMethods(context, version, call, callback),
  };
  grpc.addService(featuresGrpc.ServerFeaturesService, features);
}
