/** The program as it is shipped, built once for many short lives: from TypeScript each start would take seconds. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { copyFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundle, type BundleOptions } from '../../infra/tools/bundle.ts';
import { PROGRAMS } from '../../infra/tools/programs.ts';
import { endChild, endWithUs } from './child-processes.ts';
import { projectRoot } from './project-root.ts';
import type { Settings } from './served-market.ts';
import { type TempFolder, tempFolder } from './temp-folder.ts';

export interface Program {
  /** Of the command line's program, for a shell. */
  readonly path: string;
  /** Starts a server with these settings, on any free port, which may be killed at any moment from then on. */
  readonly start: (settings: Settings, how?: StartOptions) => Life;
  /**
   * Runs one command to its end, or to its `kill -9`, and answers with what it printed.
   * @throws when it fails, with what it complained of
   */
  readonly run: (settings: Settings, args: readonly string[], killed?: AbortSignal) => Promise<string>;
  readonly remove: () => Promise<void>;
}

export interface StartOptions {
  /** What it complains of is not shown to whoever runs the tests. */
  readonly isExpectedToFail?: boolean;
  /** It fills an empty market first. */
  readonly isSeeded?: boolean;
}

export interface Life {
  /** Of its process. */
  readonly pid: number;
  /** Its address once it answers. @throws when it ends before */
  readonly url: Promise<string>;
  /** `kill -9`; resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** Asks it to stop; resolves with its exit code. */
  readonly stop: () => Promise<number | null>;
  /** It keeps its connections and does nothing, as a machine that is short of memory, until it may go on. */
  readonly halt: () => void;
  readonly goOn: () => void;
  /** What it has printed so far, log lines included. */
  readonly printed: () => string;
  /** What it has complained of on its other output. */
  readonly complained: () => string;
  /** Its exit code once it has ended by itself or otherwise; null after a kill. */
  readonly ended: Promise<number | null>;
}

const RUN_DEADLINE_MS = 180_000;

export interface ProgramOptions {
  /** As if this machine's own addresses were public ones, so that a test can be notified. */
  readonly notifiesThisMachine?: true;
}

/** Types are checked elsewhere: this takes a second. */
export async function buildProgram({ notifiesThisMachine }: ProgramOptions = {}): Promise<Program> {
  const allowAll = { 'src/ports/public-address.ts': 'export const isPublicAddress = () => true;\n' };
  const folder = await bundled({ programs: PROGRAMS, replaced: notifiesThisMachine ? allowAll : {} });
  return {
    path: folder.file('bourse.js'),
    start: (settings, how) => startLife(folder, settings, how),
    async run(settings, args, killed) {
      const command = [folder.file('bourse.js'), ...args];
      const env = { ...process.env, ...settings };
      const bounds = {
        timeout: RUN_DEADLINE_MS,
        killSignal: 'SIGKILL',
        ...(killed && { signal: killed }),
      } as const;
      return (await promisify(execFile)(process.execPath, command, { env, ...bounds })).stdout;
    },
    remove: folder.remove,
  };
}

/** Programs of the project in a folder of their own, with the packages that they leave outside. */
export async function bundled(options: BundleOptions): Promise<TempFolder> {
  const folder = await tempFolder();
  await bundle(folder.path, options);
  await symlink(join(projectRoot, 'node_modules'), folder.file('node_modules'));
  await copyFile(join(projectRoot, 'package.json'), folder.file('package.json'));
  return folder;
}

function startLife(
  program: TempFolder,
  settings: Settings,
  { isExpectedToFail = false, isSeeded = false }: StartOptions = {},
): Life {
  const child = spawn(
    process.execPath,
    [program.file('bourse.js'), 'serve', ...(isSeeded ? ['--seed'] : [])],
    {
      cwd: program.path,
      env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn', ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  endWithUs(child);
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
    if (!isExpectedToFail) process.stderr.write(text);
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const url = addressOf(child, () => output);
  // Who kills it before it answers does not wait for its address.
  url.catch(() => {});
  return {
    pid: child.pid ?? 0,
    url,
    kill: async () => void (await endChild(child, 'SIGKILL')),
    stop: () => endChild(child, 'SIGTERM'),
    halt: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    printed: () => output,
    complained: () => complaints,
    // Once it has ended, and all that it said is here.
    ended: new Promise((resolve) => child.once('close', (code) => resolve(code))),
  };
}

function addressOf(child: ChildProcess, printed: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', () => {
      const [, url] = / at (http:\S+?)(?:\/readyz)?\n/.exec(printed()) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${printed()}`)));
  });
}
