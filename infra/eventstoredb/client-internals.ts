/**
 * What the client does not offer in public: the server's version, its batched append as a bare stream, and an end to
 * its connection. TypeScript lets a function whose `this` is a client use what the class protects.
 */
import type { BaseOptions, EventStoreDBClient } from '@eventstore/db-client';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';

export type BatchAppendStream = ReturnType<streamsGrpc.StreamsClient['batchAppend']>;

/** `unknown` of servers that cannot say. */
export function serverVersion(client: EventStoreDBClient): Promise<string> {
  return async function (this: EventStoreDBClient) {
    return (await this.capabilities).serverVersion;
  }.call(client);
}

/** A stream of appends and their answers. The client reconnects when it fails, to another leader if it hears of one. */
export function openBatchAppend(
  client: EventStoreDBClient,
  options: BaseOptions,
): Promise<BatchAppendStream> {
  return function (this: EventStoreDBClient) {
    return this.GRPCStreamCreator(streamsGrpc.StreamsClient, 'batchAppend', (grpc) =>
      grpc.batchAppend(...this.callArguments(options, { deadline: Infinity })),
    )();
  }.call(client);
}

/** Ends the calls of a client and its connection. Never fails, and waits for nothing. */
export function abandon(client: EventStoreDBClient): void {
  // It may wait for ever for calls that it has cancelled.
  void client.dispose().catch(() => {});
  void async function (this: EventStoreDBClient) {
    (await this.getChannel()).close();
  }
    .call(client)
    .catch(() => {});
}
