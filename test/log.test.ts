/** The service's log: complete, in order, a record a line; what it does with failures is in failures.test.ts. */
import { expect } from 'chai';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLog, type Log, type RequestLine } from '../src/log.ts';

const line: RequestLine = {
  requestId: 'req_1',
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

function keptLog(level: string): { readonly log: Log; readonly writes: string[] } {
  const writes: string[] = [];
  return { writes, log: createLog(level, { write: (text) => void writes.push(text) }) };
}

describe('The log', () => {
  it('writes the lines of requests that are answered together in one piece, in their order', async () => {
    const { log, writes } = keptLog('info');
    for (const requestId of ['req_1', 'req_2', 'req_3']) log.request({ ...line, requestId });
    expect(writes).to.deep.equal([]);
    await nextTurn();
    log.request({ ...line, requestId: 'req_4' });
    await nextTurn();

    expect(writes.map(idsIn)).to.deep.equal([['req_1', 'req_2', 'req_3'], ['req_4']]);
  });

  it('tells of a request what there is to tell', async () => {
    const { log, writes } = keptLog('info');
    log.request(line);
    await nextTurn();

    const { time, ...told } = JSON.parse(writes.join(''));
    expect(told).to.deep.equal({
      level: 'info',
      requestId: 'req_1',
      operation: 'getAgent',
      method: 'GET',
      route: '/v1/agents/{slug}',
      status: 200,
      durationMs: 1.5,
      msg: 'request',
    });
    expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('holds nothing back when it is flushed', () => {
    const { log, writes } = keptLog('info');
    log.request(line);
    log.flush();

    expect(writes.map(idsIn)).to.deep.equal([['req_1']]);
  });

  it('leaves requests out where only warnings are wanted', async () => {
    const { log, writes } = keptLog('warn');
    log.request(line);
    await nextTurn();

    expect(writes).to.deep.equal([]);
  });
});

function idsIn(text: string): readonly string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one).requestId);
}
