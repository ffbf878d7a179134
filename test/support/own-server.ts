/**
 * A server of somebody else's as a child of the tests, on a free port, with its data in a folder that goes with it. It
 * can be killed, silenced and started again.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { endChild, endWithUs } from './child-processes.ts';
import { freePort } from './ports.ts';
import { tempFolder } from './temp-folder.ts';
import { until } from './until.ts';

export interface OwnServer {
  readonly port: number;
  /** Ends it as a crash does. */
  readonly kill: () => Promise<void>;
  /** Starts it again on its port, with its data. */
  readonly start: () => Promise<void>;
  /** It keeps its connections and says nothing. */
  readonly silence: () => void;
  readonly wake: () => void;
  /** Ends it and removes its data. */
  readonly close: () => Promise<void>;
}

export interface ServerProgram {
  readonly binary: string;
  readonly argsFor: (port: number, folder: string) => readonly string[];
  /** Said to whoever connects, and what is answered when it is ready; null where a connection is enough. */
  readonly greeting: { readonly ask: string; readonly answer: RegExp } | null;
}

export async function startOwnServer({ binary, argsFor, greeting }: ServerProgram): Promise<OwnServer> {
  const folder = await tempFolder();
  const port = await freePort();
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    child = spawn(binary, argsFor(port, folder.path), { stdio: 'ignore', cwd: folder.path });
    child.unref();
    endWithUs(child, folder.path);
    await until(`${binary} is ready on port ${port}`, () => isReady(port, greeting));
  };
  const kill = async (): Promise<void> => void (await endChild(child, 'SIGKILL'));
  await start();
  return {
    port,
    kill,
    start,
    silence: () => void child.kill('SIGSTOP'),
    wake: () => void child.kill('SIGCONT'),
    async close() {
      await kill();
      await folder.remove();
    },
  };
}

async function isReady(port: number, greeting: ServerProgram['greeting']): Promise<boolean> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  try {
    await once(socket, 'connect');
    if (greeting === null) return true;
    socket.write(greeting.ask);
    const [answer] = await once(socket, 'data');
    return greeting.answer.test(String(answer));
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
