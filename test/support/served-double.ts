/** EventStoreDB's double as a process that can be killed, paused and started again with all that it acknowledged. */
import { fileURLToPath } from 'node:url';
import type { Generation } from './eventstoredb/generation.ts';
import { type OwnServer, startOwnServer } from './own-server.ts';

export interface ServedDouble extends OwnServer {
  readonly url: string;
}

const SERVE = fileURLToPath(new URL('eventstoredb/serve.ts', import.meta.url));
// By its place: a server runs in a folder of its own, where no package is found.
const TSX = import.meta.resolve('tsx');

export async function startServedDouble(generation: Generation = '23.10'): Promise<ServedDouble> {
  const server = await startOwnServer({
    binary: process.execPath,
    argsFor: (port, folder) =>
      ['--import', TSX, SERVE, '--generation', generation, '--port', `${port}`].concat(
        '--keep',
        `${folder}/log`,
      ),
    greeting: null,
  });
  return { ...server, url: `esdb://127.0.0.1:${server.port}?tls=false` };
}
