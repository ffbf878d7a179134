/** Ports of the system's choice. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Resolves with the port on which the server listens from now on; `host` is every address by default. */
export async function listenAnywhere(server: Server, host?: string): Promise<number> {
  server.listen({ port: 0, host });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

/** For a program that has to be told its port before it starts. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenAnywhere(server);
  server.close();
  await once(server, 'close');
  return port;
}
