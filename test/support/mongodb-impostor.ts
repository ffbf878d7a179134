/** Answers every command as a server of MongoDB of some age does: that all is well, and which wire version it speaks. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';
import { listenAnywhere } from './ports.ts';

export interface Impostor {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const HEADER_BYTES = 16;
const OP_REPLY = 1;
const OP_MSG = 2013;

export async function startMongoImpostor(maxWireVersion: number): Promise<Impostor> {
  const answer = { ok: 1, isWritablePrimary: true, helloOk: true, minWireVersion: 0, maxWireVersion };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    // Greetings are short: each arrives in one piece.
    socket.on('data', (message) => void socket.write(replyTo(message, BSON.serialize(answer))));
  });
  const port = await listenAnywhere(server);
  return {
    url: `mongodb://127.0.0.1:${port}/`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** In the form of the message: the first greeting has an older one. */
function replyTo(message: Buffer, document: Uint8Array): Buffer {
  const isCurrent = message.readInt32LE(12) === OP_MSG;
  // Flags and the kind of the section; or flags, a cursor, where it starts, and one document.
  const between = Buffer.alloc(isCurrent ? 5 : 20);
  if (!isCurrent) between.writeInt32LE(1, 16);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + between.length + document.length, 0);
  header.writeInt32LE(message.readInt32LE(4), 8);
  header.writeInt32LE(isCurrent ? OP_MSG : OP_REPLY, 12);
  return Buffer.concat([header, between, document]);
}
