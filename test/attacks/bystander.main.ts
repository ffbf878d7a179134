/** Somebody else than the attacker, in a process of its own: asks until its input ends, and prints how long answers took. */
import { setTimeout as pause } from 'node:timers/promises';
import { answerTime, type Asked } from './attacked.ts';

const PAUSE_MS = 20;
// As `answerTimeDuring` writes it.
const asked = JSON.parse(process.argv[2] ?? '') as Asked;
let isOver = false;
process.stdin.on('end', () => (isOver = true)).resume();
await answerTime(asked);
process.stdout.write('ready\n');
while (!isOver) {
  process.stdout.write(`${await answerTime(asked)}\n`);
  await pause(PAUSE_MS);
}
