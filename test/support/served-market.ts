/** The real program as a child process, as a user starts it: seeded, on a port of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { endChild, endWithUs } from './child-processes.ts';
import { freePort } from './ports.ts';
import { projectRoot } from './project-root.ts';
import { MAIN } from './shipped-program.ts';

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

const START_DEADLINE_MS = 120_000;

/** Resolves once it has printed `lastWords`: how to begin at the first start, where its facts are at later ones. */
export async function serveMarket(
  settings: Settings,
  lastWords = '"brief":',
  program: readonly string[] = [MAIN],
): Promise<ServedMarket> {
  const port = await freePort();
  const env = { ...settings, PORT: String(port), LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, program, {
    cwd: projectRoot,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithUs(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await said(child, () => output.includes(lastWords));
  return {
    url: `http://localhost:${port}`,
    env,
    printed: () => output,
    stop: () => endChild(child, 'SIGTERM'),
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
