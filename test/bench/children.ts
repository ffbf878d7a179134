/** Child processes under measurement, on the server's core. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../../infra/tools/bundle.ts';
import { endChild, endWithUs } from '../support/child-processes.ts';
import { onServerCore } from './cores.ts';

/** Within the project, where the packages are found that are left outside. */
const MADE = fileURLToPath(new URL('data/made', import.meta.url));

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Where several cores are to be had, all of them. */
  readonly isFree?: boolean;
  /** Options of node itself, such as `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
}

export interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** Runs a JavaScript file. Its standard output goes nowhere. */
export function startChild(
  script: string,
  args: readonly string[],
  { env = {}, isFree = false, nodeOptions = [] }: ChildOptions = {},
): Child {
  const line = [...nodeOptions, script, ...args];
  const [command, all] = isFree ? [process.execPath, line] : onServerCore(line);
  const child = spawn(command, all, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  if (child.pid === undefined) throw new Error(`${script} did not start`);
  endWithUs(child);
  return {
    process: child,
    pid: child.pid,
    stop: async () => void (await endChild(child, 'SIGTERM')),
  };
}

/** A child that measures in itself: `ask` has it do so once more. */
export interface Gauge<Answer> {
  readonly pid: number;
  readonly ask: (question: unknown) => Promise<Answer>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts one of the `*.main.ts` beside this file, which answers each message with one of its own. It is made as the
 * program is that is shipped: what tsx makes of the same sources is slower.
 */
export async function startGauge<Answer>(
  name: string,
  args: readonly string[],
  options: ChildOptions = {},
): Promise<Gauge<Answer>> {
  const child = startChild(await made(name), args, options);
  const ended = once(child.process, 'exit').then(() => Promise.reject(new Error(`${name} ended`)));
  // It ends when it is stopped, too.
  ended.catch(() => {});
  const answer = async (): Promise<Answer> => {
    const [message] = await Promise.race([once(child.process, 'message'), ended]);
    // Each of our mains answers with what its bench asks for.
    return message as Answer;
  };
  await answer();
  return {
    pid: child.pid,
    ask(question) {
      const answered = answer();
      child.process.send(question as object);
      return answered;
    },
    stop: child.stop,
  };
}

const gauges = new Map<string, Promise<string>>();

function made(name: string): Promise<string> {
  const known = gauges.get(name);
  if (known !== undefined) return known;
  const program = basename(name, '.ts');
  const folder = join(MADE, program);
  const making = bundle(folder, { programs: { [program]: `test/bench/${name}` } }).then(() =>
    join(folder, `${program}.js`),
  );
  gauges.set(name, making);
  return making;
}

const TICKS_PER_SECOND = 100;

/** What the process has used of its core so far, in user and kernel mode, with all its threads. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
