import { expect } from 'chai';
import { importDocument } from '../../projections/imports.ts';
import { createMemoryBlobs } from '../contract/memory/blobs.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { createMemoryQueue } from '../contract/memory/queue.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { readKnownRows } from '../../src/importing/known-rows.ts';
import { finishImports } from '../../src/tasks/finish-imports.ts';
import { rejectionOf } from '../support/rejection.ts';
import { begin, DAY_1, listed, row, SOURCE } from '../support/sample-data-set.ts';
import { dataSetDecider } from '../../commands/data-set/data-set.ts';
import { CAUSE } from '../importing/importing.ts';

const NOW = Date.parse(DAY_1) + 3_600_000;
const TASK = { id: 'x', name: 'finish-imports', payload: '{}', attempt: 1, addedAtMs: NOW, claim: 'ours' };
const PLAN = { nowMs: NOW, retryAtMs: () => NOW, signal: new AbortController().signal };

describe('Finishing imports', () => {
  it('goes on with the others where one cannot be finished, and fails in the end', async () => {
    const events = memoryEventStore();
    const commands = createCommandRunner(events);
    const memory = createMemoryBlobs();
    // What is staged of the first import can never be read.
    const blobs: typeof memory = {
      ...memory,
      async open(key, ...range) {
        if (key === begin('models', 'first', null, []).terms.importId) throw new Error('the disk lies');
        return memory.open(key, ...range);
      },
    };
    for (const [dataset, name] of [
      ['models', 'first'],
      ['tools', 'second'],
    ] as const) {
      const command = begin(dataset, name, null, [listed(row('a'))], 2);
      await commands.run(dataSetDecider, dataset, command, { ...CAUSE, commandId: command.terms.importId });
    }
    const rows = ['models', 'tools'].map((dataset) =>
      JSON.stringify(
        importDocument.parse({
          importId: 'imp_01kb3j5m8xe3vb0v6yq4s5t7wz',
          dataset,
          status: 'under_way',
          by: 'cli',
          source: SOURCE,
          isComplete: false,
          counts: { added: 1, changed: 0, returned: 0, retired: 0, unchanged: 0, refused: 0 },
          begunAt: DAY_1,
          endedAt: null,
        }),
      ),
    );
    const views = { page: async () => ({ rows, next: null, total: 2 }) };
    const task = finishImports({ events, commands, blobs, queue: createMemoryQueue(), views });
    const failed = await rejectionOf(task.run(TASK, PLAN));
    expect(failed).to.be.instanceOf(Error).with.property('message', 'models: the disk lies');
    const underWay = async (dataset: string) => (await readKnownRows(events, dataset)).underWay;
    expect(await underWay('models')).to.be.a('string');
    expect(await underWay('tools')).to.equal(null);
  });
});
