/** Run by time-zones.test.ts under other time zones: spends around the ends of months, and tells what was written. */
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { readAll } from './event-log.ts';
import { newMandateId, spendOf, tell } from './run-commands.ts';
import { grant } from './sample-mandate.ts';

const instants: readonly string[] = JSON.parse(process.argv[2] ?? '[]');
const store = memoryEventStore();
const runner = createCommandRunner(store);
const mandateId = newMandateId();
const [first = ''] = instants;
await tell(runner, mandateId, { ...grant({ maxMonthlyCents: 1 }), mandateId }, { at: first });
const kinds: string[] = [];
for (const at of instants) kinds.push((await tell(runner, mandateId, spendOf(1), { at })).kind);

const written = (await readAll(store, `mandate-${mandateId}`)).map(({ type, at, data }) => ({
  type,
  at,
  period: 'period' in data ? data.period : null,
}));
const offsetMinutes = new Date(first).getTimezoneOffset();
process.stdout.write(JSON.stringify({ offsetMinutes, kinds, written }));
