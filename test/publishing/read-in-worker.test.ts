import { expect } from 'chai';
import { readInWorker } from '../../src/publishing/read-in-worker.ts';
import { lineOf } from '../../src/publishing/read-publication.ts';
import { AN_AGENT } from './publication.fixture.ts';

/** Tabs where a value is expected: each is a fault of its own, and no bound of ours knows them beforehand. */
const SLOW = `a: [${'%,'.repeat(40_000)}]`;

describe('A publication that somebody else has written', () => {
  it('is read beside the process, with its lines', async () => {
    const read = await readInWorker(`agents:${AN_AGENT}`);
    expect(read.ok && [read.publication.agents.length, lineOf(read.lines, 'agents.0.slug')]).to.deep.equal([
      1, 2,
    ]);
  });

  it('is told its faults, which are no more than a hundred', async () => {
    const read = await readInWorker(`agents: [${'{},'.repeat(1_000)}]`);
    expect(read.ok ? [] : read.faults).to.have.lengthOf(100);
  });

  it('has so much time and no more', async () => {
    const read = await readInWorker(SLOW, { deadlineMs: 1, heapMib: 256 });
    expect(read.ok ? [] : read.faults.map(({ message }) => message)).to.deep.equal([
      'the file was not read within 0.001 seconds',
    ]);
  });

  it('has so much memory and no more, and the process lives', async () => {
    const large = `agents:\n${Array.from({ length: 45_000 }, (_, index) => `  - name: a${index}`).join('\n')}`;
    const read = await readInWorker(large, { deadlineMs: 50_000, heapMib: 24 });
    expect(read.ok ? [] : read.faults.map(({ message }) => message)).to.deep.equal([
      'reading the file takes more memory than 24 MiB',
    ]);
  });
});
