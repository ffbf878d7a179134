import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { readLines } from '../../src/mcp/read-lines.ts';
import { until } from '../support/until.ts';

describe('Lines of a stream', () => {
  const read = (maxBytes: number, signal = new AbortController().signal) => {
    const input = new PassThrough();
    const lines: string[] = [];
    const ended = readLines(input, { maxBytes, maxUnderWay: 100 }, signal, async (line) => {
      lines.push(line);
    });
    return { input, lines, ended };
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
  it('are left where they are while as many are under way as may be, and read on then', async () => {
    const input = new PassThrough();
    const begun: { readonly line: string; readonly finish: () => void }[] = [];
    const ended = readLines(input, { maxBytes: 10, maxUnderWay: 2 }, new AbortController().signal, (line) => {
      return new Promise((finish) => void begun.push({ line, finish }));
    });
    const lines = () => begun.map(({ line }) => line);
    for (const line of ['1', '2', '3', '4']) input.write(`${line}\n`);
    input.end();
    await until('two are under way', () => begun.length === 2);
    await setImmediate();
    expect(lines()).to.deep.equal(['1', '2']);
    begun[1]?.finish();
    await until('the next is', () => begun.length === 3);
    await setImmediate();
    expect(lines()).to.deep.equal(['1', '2', '3']);
    for (const { finish } of begun) finish();
    await until('all are', () => begun.length === 4);
    for (const { finish } of begun) finish();
    expect(await ended).to.equal(null);
  });
});
