/** What a person reads when an engine cannot be used: one line that names the setting, and says nothing twice. */
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { EXIT } from '../../src/cli/exit.ts';
import { BOURSE } from '../support/shipped-program.ts';

describe('A start without the engine that a setting names', () => {
  const linesOf = (env: NodeJS.ProcessEnv): string[] => {
    const { status, stderr } = spawnSync(process.execPath, [BOURSE, 'serve'], {
      env: { ...process.env, PORT: '0', ...env },
      encoding: 'utf8',
    });
    expect(status).to.equal(EXIT.unavailable);
    return stderr.trimEnd().split('\n');
  };

  it('is told in one line, with what lies behind it', () => {
    expect(linesOf({ EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' })).to.deep.equal([
      'bourse: EVENTSTORE_URL: nothing listens at 127.0.0.1:1: is EventStoreDB started, and is the port its HTTP port (2113)? (no connection: connect ECONNREFUSED 127.0.0.1:1)',
    ]);
  });

  it('is told once where the line says already what lies behind it', () => {
    const place = '127.0.0.1:1,127.0.0.1:2';
    expect(linesOf({ EVENTSTORE_URL: `esdb://${place}` })).to.deep.equal([
      `bourse: EVENTSTORE_URL: no node of the cluster answers at ${place}: are hosts, ports and tls right?`,
    ]);
  });
});
