/**
 * What the client does not offer in public: an end to its connection, a clean-up that fails in peace, reads and batched
 * appends as bare calls, and the server's version. TypeScript lets a function whose `this` is a client use what its class
 * protects.
 */
import { type BaseOptions, EventStoreDBClient } from '@eventstore/db-client';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientDuplexStream, ClientReadableStream } from '@grpc/grpc-js';
import { appendAnswerOf, appendBytes, type NumberedAnswer, type NumberedAppend } from './append-messages.ts';
import type { Host } from './reachable.ts';
import { type ReadAnswer, readAnswerOf } from './server-record.ts';
import { tellNoAddressAsName } from './server-names.ts';

export type BatchAppendStream = ClientDuplexStream<NumberedAppend, NumberedAnswer>;

export type ReadCall = ClientReadableStream<ReadAnswer>;

const SERVICE = '/event_store.client.streams.Streams';

export interface EndableClient {
  readonly client: EventStoreDBClient;
  /** Ends its calls and its connection. Never fails, and waits for nothing. */
  readonly end: () => void;
}

/** It connects with its first call. @throws {Error} it cannot read the string, or a file that it names */
export function createClient(connectionString: string): EndableClient {
  tellNoAddressAsName();
  return function (this: EventStoreDBClient): EndableClient {
    const { getChannel, handleError } = this;
    // It fails where a cluster is not found again, and nobody in the client listens.
    this.handleError = (grpc, error) => handleError(grpc, error).catch(() => {});
    let isEnded = false;
    let close = (): void => {};
    this.getChannel = async () => {
      const channel = await getChannel();
      close = () => channel.close();
      if (isEnded) close();
      return channel;
    };
    return {
      client: this,
      end: () => {
        isEnded = true;
        // It may wait for ever for calls that it has cancelled.
        this.dispose().catch(() => {});
        close();
      },
    };
  }.call(EventStoreDBClient.connectionString(connectionString));
}

/** A stream of appends and their answers. The client reconnects when it fails, to another leader if it hears of one. */
export function openBatchAppend(
  client: EventStoreDBClient,
  options: BaseOptions,
): Promise<BatchAppendStream> {
  return function (this: EventStoreDBClient) {
    return this.GRPCStreamCreator(streamsGrpc.StreamsClient, 'batchAppend', (grpc) =>
      grpc.makeBidiStreamRequest(
        `${SERVICE}/BatchAppend`,
        appendBytes,
        appendAnswerOf,
        ...this.callArguments(options, { deadline: Infinity }),
      ),
    )();
  }.call(client);
}

/** A read that tells how it ended: of the client's own a cancelled one ends as a whole one does. */
export function openRead(
  client: EventStoreDBClient,
  request: streamsPb.ReadReq,
  options: BaseOptions,
): Promise<ReadCall> {
  return function (this: EventStoreDBClient) {
    return this.GRPCStreamCreator(streamsGrpc.StreamsClient, 'read', (grpc) =>
      grpc.makeServerStreamRequest(
        `${SERVICE}/Read`,
        (asked: streamsPb.ReadReq) => Buffer.from(asked.serializeBinary()),
        readAnswerOf,
        request,
        ...this.callArguments(options, { deadline: Infinity }),
      ),
    )();
  }.call(client);
}

/** Later in the turn: a call that is cancelled right after it was made would not tell its server (grpc-node 1652). */
export function cancelSoon(call: ReadCall): void {
  setImmediate(() => call.cancel());
}

/** The nodes of the cluster that are alive, as the one that is asked sees them. */
export function readMembers(client: EventStoreDBClient, options: BaseOptions): Promise<readonly Host[]> {
  return function (this: EventStoreDBClient) {
    const [metadata, callOptions] = this.callArguments(options);
    return this.execute(
      gossipGrpc.GossipClient,
      'gossip',
      (grpc) =>
        new Promise<readonly Host[]>((resolve, reject) => {
          grpc.read(new sharedPb.Empty(), metadata, callOptions, (error, info) =>
            error === null ? resolve(hostsIn(info)) : reject(error),
          );
        }),
    );
  }.call(client);
}

function hostsIn(info: gossipPb.ClusterInfo): readonly Host[] {
  return info.getMembersList().flatMap((member) => {
    const place = member.getHttpEndPoint();
    return member.getIsAlive() && place !== undefined
      ? [{ host: place.getAddress(), port: place.getPort() }]
      : [];
  });
}

/** `unknown` of servers that cannot say. */
export function serverVersion(client: EventStoreDBClient): Promise<string> {
  return async function (this: EventStoreDBClient) {
    return (await this.capabilities).serverVersion;
  }.call(client);
}
