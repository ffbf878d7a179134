/** How many connections there may be: in all, which node counts, and from one client address. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../transport/client-address.ts';

export interface ConnectionBounds {
  readonly inAll: number;
  /** Infinity behind proxies: there all connections are theirs, and they bound their clients'. */
  readonly perAddress: number;
}

export interface Connections {
  /** What is one too many is closed before anything of it is read. */
  readonly bound: (server: Server) => void;
  /** Nothing more is read of what an address sends, by none of its connections, until it is resumed. */
  readonly pause: (address: string) => void;
  readonly resume: (address: string) => void;
}

interface Client {
  readonly open: Set<Socket>;
  isPaused: boolean;
}

export function createConnections({ inAll, perAddress }: ConnectionBounds): Connections {
  const clients = new Map<string, Client>();

  function opened(socket: Socket): void {
    const address = networkOf(socket.remoteAddress ?? '');
    const client = clients.get(address) ?? { open: new Set(), isPaused: false };
    if (client.open.size >= perAddress) {
      socket.destroy();
      return;
    }
    clients.set(address, client);
    client.open.add(socket);
    // Node begins to read of a new one at the end of the tick, paused or not.
    process.nextTick(() => client.isPaused && socket.pause());
    socket.once('close', () => {
      client.open.delete(socket);
      if (client.open.size === 0) clients.delete(address);
    });
  }
  function setPaused(address: string, isPaused: boolean): void {
    const client = clients.get(address);
    if (client === undefined || client.isPaused === isPaused) return;
    client.isPaused = isPaused;
    for (const socket of client.open) socket[isPaused ? 'pause' : 'resume']();
  }

  return {
    bound(server) {
      server.maxConnections = inAll;
      if (perAddress !== Infinity) server.on('connection', opened);
    },
    pause: (address) => setPaused(address, true),
    resume: (address) => setPaused(address, false),
  };
}
