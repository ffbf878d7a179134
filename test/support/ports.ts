/** Ports of the system's choice. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Resolves with the port on which the server listens from now on. */
export async function listenAnywhere(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

/** For a program that has to be told its port before it starts, on whatever address it will listen. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenAnywhere(server, '0.0.0.0');
  server.close();
  await once(server, 'close');
  return port;
}
