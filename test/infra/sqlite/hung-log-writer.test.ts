/** What the writer of the SQLite log promises when the disk under it says nothing. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { OutcomeUnknown } from '../../../events/event-store.ts';
import { openSqliteLog } from '../../../infra/sqlite/event-store.ts';
import { LogWriter, type StartWorker, startLogWriter } from '../../../infra/sqlite/log-writer.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';
import { until } from '../../support/until.ts';

const run = promisify(execFile);
const SILENCE_MS = 1_000;
/** Ends when it is asked to, and answers nothing. */
const SILENT = `require('node:worker_threads').parentPort.on('message', (asked) => asked ?? process.exit());`;

describe('The writer of the SQLite log, over a disk that does not answer', () => {
  let folder: TempFolder;
  before(async () => {
    folder = await tempFolder();
  });
  after(() => folder.remove());

  it('asks its worker to end, and starts another for the next group', async () => {
    const path = folder.file('log.db');
    const log = await openSqliteLog({ path });
    await log.close();
    const answerTimeoutMs = SILENCE_MS + 10 * (await timeOfFirstAnswer(path));
    const ends: Promise<unknown>[] = [];
    const start: StartWorker = (settings) => {
      const worker = ends.length === 0 ? new Worker(SILENT, { eval: true }) : startLogWriter(settings);
      ends.push(once(worker, 'exit'));
      return worker;
    };
    const writer = new LogWriter({ path, maintain: [], startWorker: start, answerTimeoutMs });
    const silence = await rejectionOf(writer.write(['checkpoint', 'second', '2'], 0));
    await ends[0];

    expect(silence).to.be.instanceOf(OutcomeUnknown);
    const commits = () =>
      writer.write(['checkpoint', 'third', '3'], 0).then(
        ([kind]) => kind === 'kept',
        () => false,
      );
    await until('another commits', commits, 60_000);
    await writer.close();
  }).timeout(180_000);

  it('ends a process that has let its worker go in good order, be the worker inside SQLite', async () => {
    const script = fileURLToPath(new URL('./silent-writer.main.ts', import.meta.url));
    const { stdout } = await run(process.execPath, ['--import', 'tsx', script, folder.file('other.db')]);

    expect(stdout).to.equal('unknown');
  });
});

/** How long this machine, busy as it is, takes to start a worker and have a commit of it. */
async function timeOfFirstAnswer(path: string): Promise<number> {
  const startedMs = performance.now();
  const writer = new LogWriter({ path, maintain: [] });
  await writer.write(['checkpoint', 'first', '1'], 0);
  await writer.close();
  return performance.now() - startedMs;
}
