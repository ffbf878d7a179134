import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { endChild, endWithUs } from './child-processes.ts';
import { tempFolder } from './temp-folder.ts';
import { until } from './until.ts';

const STARTER = fileURLToPath(new URL('./child-processes.main.ts', import.meta.url));

describe('A child process of the tests', () => {
  it('ends with a run that is killed, and its folder with it', async () => {
    const folder = await tempFolder();
    const starter = spawn(process.execPath, ['--import', 'tsx', STARTER, folder.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // The child holds the same output: it closes when both are gone.
    const closed = once(starter, 'close');
    await once(starter.stdout, 'data');
    starter.kill('SIGKILL');
    await closed;

    await until('its folder is gone', () => !existsSync(folder.path));
  });

  it('that has ended is not waited for', async () => {
    const child = spawn(process.execPath, ['-e', 'process.exit(7)'], { stdio: 'ignore' });
    endWithUs(child);
    await once(child, 'exit');

    expect(await endChild(child, 'SIGKILL')).to.equal(7);
  });
});
