/** The sockets of a double: listened for, counted, cut, and, when it is told to, accepted without a word. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { SelfSigned } from './certificate.ts';

export const HOST = '127.0.0.1';

export interface Connections {
  readonly port: number;
  readonly open: () => number;
  readonly ever: () => number;
  /** Destroys the connection whose far end is `peer` (`address:port`). */
  readonly cut: (peer: string) => void;
  readonly cutAll: () => void;
  /** Whether connections made from now on are accepted and left alone. */
  readonly sayNothing: (isSilent: boolean) => void;
  /** Cuts every connection and frees the port. */
  readonly close: () => Promise<void>;
}

/** Listens on the loopback address and hands every connection to `serve`, over TLS when there is a certificate. */
export async function listenForConnections(
  port: number,
  certificate: SelfSigned | null,
  serve: (socket: Socket) => void,
): Promise<Connections> {
  const sockets = new Map<string, Socket>();
  let ever = 0;
  let isSilent = false;
  const accept = (socket: Socket): void => {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    ever += 1;
    sockets.set(peer, socket);
    socket.on('close', () => sockets.delete(peer));
    // Cut by either side: the client is told by the failure of its calls.
    socket.on('error', () => {});
    if (!isSilent) serve(socket);
  };
  const listener = certificate === null ? createServer(accept) : tlsServer(certificate, accept);
  listener.listen(port, HOST);
  await once(listener, 'listening');
  // A server on a TCP port has an address of this form; only one on a pipe has a text.
  const address = listener.address() as AddressInfo;

  const cutAll = (): void => {
    for (const socket of sockets.values()) socket.destroy();
  };
  return {
    port: address.port,
    open: () => sockets.size,
    ever: () => ever,
    cut: (peer) => sockets.get(peer)?.destroy(),
    cutAll,
    sayNothing: (silent) => void (isSilent = silent),
    async close() {
      const closed = once(listener, 'close');
      listener.close();
      cutAll();
      await closed;
    },
  };
}

function tlsServer({ certificatePem, privateKeyPem }: SelfSigned, accept: (socket: Socket) => void): Server {
  return createTlsServer({ cert: certificatePem, key: privateKeyPem, ALPNProtocols: ['h2'] }, accept);
}
