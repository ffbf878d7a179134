import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import { readLines } from '../../src/mcp/read-lines.ts';

describe('Lines of a stream', () => {
  const read = (maxBytes: number, signal = new AbortController().signal) => {
    const input = new PassThrough();
    const lines: string[] = [];
    return { input, lines, ended: readLines(input, maxBytes, signal, (line) => void lines.push(line)) };
  };

  it('come whole, however they are cut on the way, and without what ends them', async () => {
    const { input, lines, ended } = read(100);
    const bytes = Buffer.from('naïve\r\n\n日本\nnot ended');
    for (const byte of bytes) input.write(Buffer.from([byte]));
    input.end();
    expect(await ended).to.equal(null);
    expect(lines).to.deep.equal(['naïve', '', '日本']);
  });
  it('may each be so long and no longer', async () => {
    const { input, lines, ended } = read(10);
    input.write('0123456789\n0123456789\n');
    input.write('01234567890');
    expect(String(await ended)).to.equal('Error: A line has more than 10 bytes');
    expect(lines).to.have.length(2);
  });
  it('are read until nobody wants them, or the stream fails', async () => {
    const stopping = new AbortController();
    const stopped = read(10, stopping.signal);
    stopping.abort();
    expect(await stopped.ended).to.equal(null);
    const failed = read(10);
    failed.input.destroy(new Error('gone'));
    expect(String(await failed.ended)).to.equal('Error: gone');
  });
});
