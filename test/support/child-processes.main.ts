/** Run by child-processes.test.ts, which kills it: it starts a child that would run for ever, with a folder. */
import { spawn } from 'node:child_process';
import { endWithUs } from './child-processes.ts';

const [, , folder] = process.argv;
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { stdio: 'inherit' });
endWithUs(child, folder);
process.stdout.write('started\n');
