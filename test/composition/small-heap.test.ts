import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const SMALL_HEAP = fileURLToPath(new URL('../../src/composition/small-heap.ts', import.meta.url));

describe('A small heap', () => {
  it('is asked for by a flag that this V8 knows, which would else complain at each start', () => {
    const program = `const { keepHeapSmall } = await import(${JSON.stringify(SMALL_HEAP)}); keepHeapSmall();`;
    const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([status, stdout, stderr]).to.deep.equal([0, '', '']);
  });
});
