/** A line to a server of TCP that can be cut, so that nobody gets through, and mended. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listenAnywhere } from './ports.ts';

export interface CuttableLine {
  readonly port: number;
  readonly cut: () => void;
  readonly mend: () => void;
  readonly close: () => Promise<void>;
}

export async function cuttableLine(host: string, serverPort: number): Promise<CuttableLine> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = connect(serverPort, host);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  return {
    port: await listenAnywhere(server),
    cut,
    mend: () => void (isCut = false),
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
