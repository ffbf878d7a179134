/** Somebody else than the attacker, in a process of its own: asks until its input ends, and prints how long answers took. */
import { setTimeout as pause } from 'node:timers/promises';
import { answerTime } from './attacked.ts';

const PAUSE_MS = 20;
const [, , url = '', localAddress = '127.0.0.2'] = process.argv;
let isOver = false;
process.stdin.on('end', () => (isOver = true)).resume();
await answerTime(url, localAddress);
process.stdout.write('ready\n');
while (!isOver) {
  process.stdout.write(`${await answerTime(url, localAddress)}\n`);
  await pause(PAUSE_MS);
}
