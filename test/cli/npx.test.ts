import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { endWithUs } from '../support/child-processes.ts';
import { BOURSE } from '../support/shipped-program.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

describe('A program that npx runs', () => {
  it('ends in good order when the shell that npx put around it does', async () => {
    const folder = await tempFolder();
    const env = { ...process.env, npm_command: 'exec', DATA_DIR: folder.path, PORT: '0', LOG_LEVEL: 'info' };
    // As npm does: a shell that waits for the program and passes no signal on.
    const script = '"$0" "$1" serve; :';
    const shell = spawn('sh', ['-c', script, process.execPath, BOURSE], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
      // The program goes with this group, also where this test fails before its shell has ended.
      detached: true,
    });
    endWithUs(shell);
    try {
      let output = '';
      shell.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      await until('it answers', () => output.includes('Bourse answers'), 60_000);
      const url = /at (http:\S+)/.exec(output)?.[1] ?? '';
      expect((await fetch(`${url}/healthz`)).status).to.equal(200);
      shell.kill('SIGTERM');
      // Its output is closed once the program that holds it has ended.
      if (!shell.stdout.closed) await once(shell.stdout, 'close');
      expect(await fetch(`${url}/healthz`).catch(() => 'nobody is there')).to.equal('nobody is there');
    } finally {
      endGroup(shell);
      await folder.remove();
    }
  }).timeout(120_000);
});

/** Whoever is left of it. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody is.
  }
}
