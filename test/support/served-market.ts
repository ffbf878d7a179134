/** The real program as a child process, as a user starts it: seeded, on a port of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

/** By the names of the environment. */
export type Settings = Readonly<Record<string, string>>;

export interface ServedMarket {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  /** What it has printed so far, log lines left out. */
  readonly printed: () => string;
  /** Asks it to stop and answers with its exit code. */
  readonly stop: () => Promise<number | null>;
}

export const projectRoot = fileURLToPath(new URL('../../', import.meta.url));
const START_DEADLINE_MS = 60_000;

/** Resolves once it has printed `lastWords`: how to begin at the first start, where its facts are at later ones. */
export async function serveMarket(settings: Settings, lastWords = '"brief":'): Promise<ServedMarket> {
  const port = await freePort();
  const env = { ...settings, PORT: String(port), LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts'], {
    cwd: projectRoot,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await said(child, () => output.includes(lastWords));
  return {
    url: `http://localhost:${port}`,
    env,
    printed: () => output,
    async stop() {
      if (child.exitCode !== null) return child.exitCode;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      return child.exitCode;
    },
  };
}

function said(child: ChildProcess, isSaid: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the server said nothing in time')), START_DEADLINE_MS);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    child.stdout?.on('data', () => {
      if (!isSaid()) return;
      clearTimeout(late);
      resolve();
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
