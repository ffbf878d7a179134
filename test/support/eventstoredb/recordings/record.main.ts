/**
 * Asks a server all that was ever recorded, writes down what it answers, and tells what it answers otherwise than the
 * servers before it. The server must be fresh: what was asked stays there.
 */
import { appendFile, writeFile } from 'node:fs/promises';
import { EventStoreDBClient, StreamNotFoundError } from '@eventstore/db-client';
import { firstDifference } from './comparing.ts';
import { play, REAL_WAITS } from './player.ts';
import { readScenarios, RECORDINGS, type Scenario } from './scenario.ts';

const [url, file = 'answers.ndjson'] = process.argv.slice(2);
if (url === undefined) {
  process.stderr.write('usage: npm run record:eventstoredb -- URL [FILE]\n');
  process.exit(2);
}

const [earlier, later] = [await readScenarios('23.10'), await readScenarios('24.2')];
const client = EventStoreDBClient.connectionString(url);
await refuseUsedServer(client);
await writeFile(file, '');
for (const scenario of allOf(earlier, later)) {
  const answers = await play(client, scenario, REAL_WAITS);
  const steps = scenario.steps.map(({ call }, index) => ({ call, answer: answers[index] }));
  await appendFile(file, `${JSON.stringify({ ...scenario, steps })}\n`);
  for (const [name, scenarios] of [
    [RECORDINGS['23.10'], earlier],
    [RECORDINGS['24.2'], later],
  ] as const) {
    const recorded = scenarios.find((other) => other.scenario === scenario.scenario);
    const difference = recorded === undefined ? null : firstDifference(recorded, answers);
    if (difference !== null) say(`otherwise than in ${name}: ${JSON.stringify(difference)}`);
  }
}
say(`all is in ${file}`);
process.exit(0);

/** Every scenario of either, in order. */
function allOf(...recordings: readonly (readonly Scenario[])[]): readonly Scenario[] {
  const all = new Map(recordings.flat().map((scenario) => [scenario.scenario, scenario]));
  return [...all.values()].sort((a, b) => a.scenario - b.scenario);
}

async function refuseUsedServer(asked: EventStoreDBClient): Promise<void> {
  try {
    for await (const _ of asked.readStream('s1.x', { maxCount: 1 })) break;
  } catch (error) {
    if (error instanceof StreamNotFoundError) return;
    throw error;
  }
  throw new Error('the server has been recorded already: start a fresh one');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
