/**
 * Stands between a client and a server of MongoDB and sees each command. It can keep one to itself, as a server that says
 * nothing does, and cut all connections before or after it.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';
import { listenAnywhere } from './ports.ts';

/** What becomes of a command; after `cutBefore` and `cutAfter` nobody gets through any more. */
export type Fate = 'pass' | 'swallow' | 'cutBefore' | 'cutAfter';

export interface MongoProxy {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const HEADER_BYTES = 16;
const OP_MSG = 2013;
/** Behind the header come flags and the kind of the first section, which is the command. */
const COMMAND_AT = HEADER_BYTES + 5;

export async function startMongoProxy(
  serverPort: number,
  fateOf: (command: Document) => Fate,
): Promise<MongoProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const upstream = connect(serverPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on(
      'data',
      eachMessage((message) => {
        if (isCut) return;
        const command = commandOf(message);
        const fate = command === null ? 'pass' : fateOf(command);
        if (fate === 'swallow') return;
        if (fate === 'cutBefore') return cut();
        if (fate === 'cutAfter') upstream.once('data', cut);
        upstream.write(message);
      }),
    );
    upstream.on('data', (data) => void (isCut || client.write(data)));
  });
  const port = await listenAnywhere(server);
  return {
    url: `mongodb://127.0.0.1:${port}/`,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

function eachMessage(take: (message: Buffer) => void): (data: Buffer) => void {
  let pending = Buffer.alloc(0);
  return (data) => {
    pending = Buffer.concat([pending, data]);
    while (pending.length >= HEADER_BYTES && pending.length >= pending.readInt32LE(0)) {
      const length = pending.readInt32LE(0);
      take(pending.subarray(0, length));
      pending = pending.subarray(length);
    }
  };
}

/** Null for the old greeting, which is no command of ours. */
function commandOf(message: Buffer): Document | null {
  return message.readInt32LE(12) === OP_MSG
    ? BSON.deserialize(message.subarray(COMMAND_AT), { index: 0, allowObjectSmallerThanBufferSize: true })
    : null;
}
