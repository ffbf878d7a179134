/** The service's log: complete, in order, a record a line; what it does with failures is in failures.test.ts. */
import { execFile } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createLog, gathering, type RequestLine } from '../../src/logging/log.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const EXITING = fileURLToPath(new URL('exiting-log.main.ts', import.meta.url));

const line: RequestLine = {
  requestId: 'req_1',
  clientRequestId: 'mine-1',
  operation: 'getAgent',
  method: 'GET',
  route: '/v1/agents/{slug}',
  status: 200,
  code: undefined,
  durationMs: 1.5,
  keyId: undefined,
  replayed: undefined,
  gone: undefined,
};

describe('The log', () => {
  it('tells of a request what there is to tell', () => {
    const lines: string[] = [];
    createLog('info', { write: (text) => void lines.push(text) }).request(line);

    const { time, ...told } = JSON.parse(lines.join(''));
    expect(told).to.deep.equal({
      level: 'info',
      requestId: 'req_1',
      clientRequestId: 'mine-1',
      operation: 'getAgent',
      method: 'GET',
      route: '/v1/agents/{slug}',
      status: 200,
      durationMs: 1.5,
      msg: 'request',
    });
    expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('says what others said without what a terminal obeys, in the same JSON', () => {
    const lines: string[] = [];
    const reason = 'no \u009b2J\u202e\u007f';
    createLog('info', { write: (text) => void lines.push(text) }).warn({ reason }, 'refused');

    expect(lines.join('')).to.match(/^[\x20-\x7e]*\n$/);
    expect(JSON.parse(lines.join(''))).to.include({ reason });
  });

  it('leaves requests out where only warnings are wanted', () => {
    const lines: string[] = [];
    createLog('warn', { write: (text) => void lines.push(text) }).request(line);

    expect(lines).to.deep.equal([]);
  });

  for (const how of ['exit', 'throw']) {
    it(`is complete and in order also when the process ends at once (${how})`, async () => {
      const { stdout } = await run(process.execPath, ['--import', 'tsx', EXITING, how]).catch(
        (error: { stdout: string }) => error,
      );
      const messages = stdout.trimEnd().split('\n');
      expect(messages.map((one) => JSON.parse(one).msg)).to.deep.equal(['first', 'second']);
    });
  }
});

describe('The output of the log', () => {
  function keptOutput(refuse = (): void => {}) {
    const writes: string[] = [];
    const output = gathering({
      write(text) {
        refuse();
        return writes.push(text) > 0;
      },
      flush(done) {
        writes.push('flushed');
        done?.();
      },
    });
    return { output, writes };
  }

  it('is handed in one piece what is written within a while', async () => {
    const { output, writes } = keptOutput();
    for (const one of ['a\n', 'b\n', 'c\n']) output.write(one);
    expect(writes).to.deep.equal([]);
    await until('the first lines are handed on', () => writes.length > 0);
    output.write('d\n');
    await until('the next are handed on', () => writes.length > 1);

    expect(writes).to.deep.equal(['a\nb\nc\n', 'd\n']);
  });

  it('is handed at once what is much', () => {
    const { output, writes } = keptOutput();
    const line = `${'x'.repeat(999)}\n`;
    for (let lines = 0; lines < 100; lines += 1) output.write(line);

    const [first = ''] = writes;
    expect(writes).to.have.lengthOf(1);
    expect(first.length).to.be.within(60_000, 99_000);
    expect(first.endsWith('\n')).to.equal(true);
  });

  it('is handed everything before it is flushed, and nothing twice', async () => {
    const { output, writes } = keptOutput();
    output.write('a\n');
    await new Promise<void>((resolve) => output.flush(() => resolve()));
    await nextTurn();

    expect(writes).to.deep.equal(['a\n', 'flushed']);
  });

  it('is handed what comes after it has refused something', async () => {
    let isRefusing = true;
    const { output, writes } = keptOutput(() => {
      if (isRefusing) throw new Error('destroyed');
    });
    output.write('a\n');
    expect(output.handOn).to.throw('destroyed');
    isRefusing = false;
    output.write('b\n');
    await until('the first lines are handed on', () => writes.length > 0);

    expect(writes).to.deep.equal(['b\n']);
  });
});
