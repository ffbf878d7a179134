import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { BOURSE } from '../support/shipped-program.ts';

describe('The output of a command', () => {
  it('may be closed by its reader before its end', async () => {
    const child = spawn(process.execPath, [BOURSE, 'key', '--help']);
    child.stdout.destroy();
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
    const [code]: unknown[] = await once(child, 'close');
    expect({ code, complaint }).to.deep.equal({ code: 0, complaint: '' });
  });
});
