/** How many connections there may be: in all, which node counts, and from one client address. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../transport/client-address.ts';

export interface ConnectionBounds {
  readonly inAll: number;
  /** Infinity behind proxies: there all connections are theirs, and they bound their clients'. */
  readonly perAddress: number;
}

/** What is one too many is closed before anything of it is read. */
export function boundConnections(server: Server, { inAll, perAddress }: ConnectionBounds): void {
  server.maxConnections = inAll;
  if (perAddress === Infinity) return;
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = networkOf(socket.remoteAddress ?? '');
    const others = open.get(address) ?? 0;
    if (others >= perAddress) {
      socket.destroy();
      return;
    }
    open.set(address, others + 1);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}
