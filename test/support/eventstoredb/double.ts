/**
 * An EventStoreDB in memory, for tests: a gRPC server of the client's own service definitions that answers as
 * the real one does wherever a client can see it, and that can be told to misbehave (faults.ts).
 *
 * It has no projections, persistent subscriptions, scavenges, users to be managed, or HTTP (not-followed.ts).
 */
import { writeFile } from 'node:fs/promises';
import type { IGossipServer } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { IServerFeaturesServer } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { freePort } from '../ports.ts';
import { tempFolder } from '../temp-folder.ts';
import { ADMIN, type Credentials } from './access.ts';
import { handleAppend } from './append-call.ts';
import { handleBatchAppend } from './batch-append-call.ts';
import type { CallContext, Role } from './call-context.ts';
import { type SelfSigned, selfSigned } from './certificate.ts';
import { handleGossip, handleSupportedMethods, type Member } from './cluster-calls.ts';
import { HOST, listenForConnections } from './connections.ts';
import { ANSWER_METHODS, faultBox, type Faults, type Method, STREAM_METHODS } from './faults.ts';
import type { Generation } from './generation.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { handleRead } from './read-call.ts';
import { handleDelete, handleTombstone } from './removal-calls.ts';
import { type Endpoint, MAX_APPEND_BYTES } from './rpc-errors.ts';
import { timers } from './timers.ts';

/** Those that were recorded. */
const VERSIONS: Readonly<Record<Generation, string>> = { '23.10': '23.10.6', '24.2': '24.2.0' };
/** More than any append may have, so that the refusal of a great one is the server's and not gRPC's. */
const MAX_MESSAGE_BYTES = 20 * 1024 * 1024;
/** Kestrel's: one more waits on the client's side until another has ended. */
const MAX_CALLS_OF_A_CONNECTION = 100;
/** CommitTimeoutMs of the server. */
const COMMIT_TIMEOUT_MS = 2_000;

export interface DoubleOptions {
  /** The events it serves and keeps; a new one unless given. */
  readonly ledger?: Ledger;
  /** Any free one unless given. */
  readonly port?: number;
  /** What it asks of callers, over TLS; unless given it has neither, and everybody is an administrator. */
  readonly credentials?: Credentials;
  /** The greatest append, in bytes of data; a server's own unless given. */
  readonly maxAppendBytes?: number;
  /** How long a write waits to be replicated; a server's own unless given. */
  readonly commitTimeoutMs?: number;
  /** Told when a fault of its own has ended the server. */
  readonly onDeath?: () => void;
  /** What it says it is; null for a server too old to say, which has no batch append either. */
  readonly version?: string | null;
  /** 23.10 unless given. */
  readonly generation?: Generation;
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
  /** A connection string, with credentials and certificate where it asks for them. */
  readonly url: string;
  readonly port: number;
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly stats: () => DoubleStats;
  /** Has this node follow `leader`, or lead again when null. */
  readonly follow: (leader: Endpoint | null) => void;
  /** Has this node know of no leader, until it follows or leads. */
  readonly loseLeader: () => void;
  /** Cuts every connection; new ones are served. */
  readonly cutConnections: () => void;
  /** Whether connections made from now on are accepted and left without a word. */
  readonly sayNothing: (isSilent: boolean) => void;
  /** Cuts every connection and frees the port. The ledger can be given to another double, as after a restart. */
  readonly stop: () => Promise<void>;
}

export async function startEventStoreDouble(options: DoubleOptions = {}): Promise<EventStoreDouble> {
  const grpc = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_concurrent_streams': MAX_CALLS_OF_A_CONNECTION,
  });
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
  const certificate = options.credentials === undefined ? null : selfSigned();
  const connections = await listenForConnections(options.port ?? (await freePort()), certificate, (socket) =>
    injector.injectConnection(socket),
  );
  const authority = certificate === null ? null : await authorityFile(certificate);
  const clock = timers();
  const counts = counters();
  const faults = faultBox();
  const ledger = options.ledger ?? createLedger();
  ledger.forgetIds();
  const { port } = connections;
  const generation = options.generation ?? '23.10';
  let role: Role = { kind: 'leader' };

  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => (stopping ??= end());
  async function end(): Promise<void> {
    clock.stop();
    await connections.close();
    grpc.forceShutdown();
    await authority?.remove();
  }

  const context: CallContext = {
    ledger,
    faults,
    users: options.credentials === undefined ? null : [options.credentials, ADMIN],
    generation,
    role: () => role,
    commitTimeoutMs: options.commitTimeoutMs ?? COMMIT_TIMEOUT_MS,
    maxAppendBytes: options.maxAppendBytes ?? MAX_APPEND_BYTES,
    countCall: counts.call,
    countSubscription: () => counts.subscription(),
    later: clock.later,
    cut: connections.cut,
    die: () => {
      void stop();
      options.onDeath?.();
    },
  };
  const alone = (): readonly Member[] => [{ host: HOST, port, state: stateOf(role), isAlive: true }];
  const version = options.version === undefined ? VERSIONS[generation] : options.version;
  serve(grpc, context, version, options.members ?? alone);
  return {
    url: connectionString(port, options.credentials ?? null, authority?.path ?? null),
    port,
    ledger,
    faults,
    stats: () => ({
      openConnections: connections.open(),
      connectionsEver: connections.ever(),
      ...counts.read(),
    }),
    follow: (to) => void (role = to === null ? { kind: 'leader' } : { kind: 'follower', leader: to }),
    loseLeader: () => void (role = { kind: 'electing' }),
    cutConnections: connections.cutAll,
    sayNothing: connections.sayNothing,
    stop,
  };
}

function stateOf({ kind }: Role): Member['state'] {
  return kind === 'electing' ? 'unknown' : kind;
}

function counters() {
  const methods: readonly Method[] = [...ANSWER_METHODS, ...STREAM_METHODS];
  // Every method is a key: Object.fromEntries forgets which keys it was given.
  const calls = Object.fromEntries(methods.map((method) => [method, 0])) as Record<Method, number>;
  let openSubscriptions = 0;
  return {
    call: (method: Method): void => void (calls[method] += 1),
    subscription(): () => void {
      openSubscriptions += 1;
      return () => void (openSubscriptions -= 1);
    },
    read: () => ({ openSubscriptions, calls: { ...calls } }),
  };
}

/** The client takes an authority's certificate from a file only. */
async function authorityFile({ certificatePem }: SelfSigned) {
  const folder = await tempFolder();
  const path = folder.file('authority.pem');
  await writeFile(path, certificatePem);
  return { path, remove: folder.remove };
}

function connectionString(port: number, credentials: Credentials | null, authority: string | null): string {
  if (credentials === null || authority === null) return `esdb://${HOST}:${port}?tls=false`;
  const [username, password] = [credentials.username, credentials.password].map(encodeURIComponent);
  // By name: TLS does not permit an address as the name of a server (RFC 6066).
  return `esdb://${username}:${password}@localhost:${port}?tlsCAFile=${encodeURIComponent(authority)}`;
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
