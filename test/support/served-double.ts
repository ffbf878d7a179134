/** EventStoreDB's double as a process that can be killed, paused and started again with all that it acknowledged. */
import { rmSync } from 'node:fs';
import { bundled } from './built-program.ts';
import type { Generation } from './eventstoredb/generation.ts';
import { type OwnServer, startOwnServer } from './own-server.ts';

export interface ServedDouble extends OwnServer {
  readonly url: string;
}

/** Made once, as the program is: in a life of many kills each start from TypeScript would compute for two seconds. */
let made: Promise<string> | undefined;

export async function startServedDouble(generation: Generation = '23.10'): Promise<ServedDouble> {
  const script = await (made ??= bundledDouble());
  const server = await startOwnServer({
    binary: process.execPath,
    argsFor: (port, folder) =>
      [script, '--generation', generation, '--port', `${port}`].concat('--keep', `${folder}/log`),
    greeting: null,
  });
  return { ...server, url: `esdb://127.0.0.1:${server.port}?tls=false` };
}

async function bundledDouble(): Promise<string> {
  const folder = await bundled({ programs: { double: 'test/support/eventstoredb/serve.ts' } });
  process.once('exit', () => rmSync(folder.path, { recursive: true, force: true }));
  return folder.file('double.js');
}
