/** How loudly each failure is told of: whoever watches the log sees faults among refusals, and no stack for what is none. */
import { readdir, rm } from 'node:fs/promises';
import { expect } from 'chai';
import { OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';
import { ViewBeingBuilt, ViewsUnavailable } from '../../projections/view-store.ts';
import { openMarket } from '../../src/composition/app.ts';
import { readConfig } from '../../src/settings/config.ts';
import { logFailure } from '../../src/logging/failures.ts';
import { createLog, type Log } from '../../src/logging/log.ts';
import { BlobsUnavailable } from '../../src/ports/blobs.ts';
import { NotDelivered } from '../../src/ports/fetcher.ts';
import { LeasesUnavailable } from '../../src/ports/leases.ts';
import { PaymentsUnavailable } from '../../src/ports/payments.ts';
import { QueueUnavailable } from '../../src/ports/queue.ts';
import { Contended, Overloaded } from '../../src/commanding/command-call.ts';
import { publishExamples } from '../support/memory-market.ts';
import { inMarket } from '../support/own-market.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

interface Kept {
  readonly log: Log;
  readonly lines: Record<string, unknown>[];
}

function keptLog(level = 'debug'): Kept {
  const lines: Record<string, unknown>[] = [];
  return { lines, log: createLog(level, { write: (line) => void lines.push(JSON.parse(line)) }) };
}

describe('A failure in the log', () => {
  for (const Expected of [
    StoreUnavailable,
    OutcomeUnknown,
    ViewsUnavailable,
    BlobsUnavailable,
    QueueUnavailable,
    LeasesUnavailable,
    PaymentsUnavailable,
    Overloaded,
    Contended,
    NotDelivered,
  ]) {
    it(`${Expected.name}: a warning with its reason, and no stack`, () => {
      const { log, lines } = keptLog();
      const error = new Expected('it refused', { cause: new Error('the disk is full') });
      logFailure(log, error, { requestId: 'req_1' }, 'operation failed');
      expect(lines).to.have.length(1);
      expect(lines[0]).to.include({
        level: 'warn',
        msg: 'operation failed',
        requestId: 'req_1',
        failure: Expected.name,
        reason: 'it refused (the disk is full)',
      });
      expect(JSON.stringify(lines)).to.not.include('failures.test.ts');
    });
  }

  it('of a view that is being built is not told at the usual level: it would be so for each request', () => {
    const usual = keptLog('info');
    logFailure(usual.log, new ViewBeingBuilt('jobs'), {}, 'operation failed');
    expect(usual.lines).to.deep.equal([]);
    const { log, lines } = keptLog('debug');
    logFailure(log, new ViewBeingBuilt('jobs'), {}, 'operation failed');
    expect(lines[0]).to.include({ level: 'debug', reason: 'the view jobs is being built from the log' });
  });

  it('that is a bug keeps its stack', () => {
    const { log, lines } = keptLog();
    logFailure(log, new TypeError('undefined is not a function'), { task: 'deliver' }, 'task failed');
    expect(lines[0]).to.include({ level: 'error', task: 'deliver' });
    expect(JSON.stringify(lines[0]?.['err'])).to.include('failures.test.ts');
  });
});

describe('Standing tasks of a worker while nobody has built the views', () => {
  it('are quietly tried again', async () => {
    const folder = await tempFolder();
    const settings = { DATA_DIR: folder.path };
    // Views of an empty log are whole at once.
    await inMarket(settings, ({ services }) => publishExamples(services));
    // The queue goes as well: its standing tasks may have been done, and not be due again for a while.
    for (const file of await readdir(folder.path))
      if (/^(views|queue)\.db/.test(file)) await rm(folder.file(file));
    const { log, lines } = keptLog();
    const market = await openMarket(readConfig({ ...settings, ROLE: 'worker' }), log);
    try {
      await market.start();
      const failures = (): typeof lines => lines.filter(({ msg }) => msg === 'task failed');
      await until('a task has found no view', () => failures().length > 0);
      for (const failure of failures()) {
        expect(failure).to.include({ level: 'debug', failure: 'ViewBeingBuilt' });
      }
    } finally {
      await market.close();
      await folder.remove();
    }
  });
});
