/** Run by trial-path.test.ts: prints which files of the program each of some POST /v1/trials enters, as JSON. */
import { Session } from 'node:inspector/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { openMarket } from '../../src/composition/app.ts';
import { serve } from '../../src/composition/serve.ts';
import { readConfig } from '../../src/settings/config.ts';
import { inMarket, newBuyers, trialRequests } from '../bench/market.ts';
import { projectRoot } from '../support/project-root.ts';

/** What is made at a first request, as compiled schemas, is made by these. */
const FIRST_REQUESTS = 5;
const REQUESTS = 8;
/** Longer than the time between two looks whether a file of the engine is still there. */
const IDLE_MS = 300;
const ROOT_URL = pathToFileURL(projectRoot).href;
const PRODUCTION = /^(?:src|events|commands|projections|infra)\//;

const [, , dataDir = ''] = process.argv;
const buyers = await inMarket(dataDir, async (market) => {
  await market.seed();
  const made = await newBuyers(market, 2);
  await market.catchUp();
  return made;
});
// The role that does nothing beside requests.
const config = readConfig({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error', ROLE: 'api' });
const running = await serve(config, openMarket, {
  seed: false,
  print: () => {},
  signal: new AbortController().signal,
});
if (running === null) throw new Error('it was not told to stop');

const nextRequest = trialRequests(buyers);
async function createTrial(): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${running?.port}/v1/trials`, nextRequest());
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
/** The functions that were entered since it was last asked: `src/main.ts@120`, a file and where in it. */
async function enteredFunctions(): Promise<readonly string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result.flatMap(({ url, functions }) => {
    const file = url.startsWith(ROOT_URL) ? url.slice(ROOT_URL.length).replace(/\?.*/, '') : '';
    if (!PRODUCTION.test(file)) return [];
    const ranges = functions.flatMap(({ ranges: [whole] }) => whole ?? []);
    return ranges.filter(({ count }) => count > 0).map(({ startOffset }) => `${file}@${startOffset}`);
  });
}

/** What is entered while nobody asks. */
async function enteredIdly(): Promise<readonly string[]> {
  await enteredFunctions();
  await pause(IDLE_MS);
  return enteredFunctions();
}

// In this role nobody brings the views to the end of the log, for which the warming up would wait once there are trials.
while ((await enteredIdly()).some((entered) => entered.startsWith('src/composition/warm-up.ts')));
for (let i = 0; i < FIRST_REQUESTS; i += 1) await createTrial();
const idle = await enteredIdly();
await enteredFunctions();
const byRequest: (readonly string[])[] = [];
for (let i = 0; i < REQUESTS; i += 1) {
  await createTrial();
  const own = (await enteredFunctions()).filter((entered) => !idle.includes(entered));
  byRequest.push([...new Set(own.map((entered) => entered.replace(/@.*/, '')))]);
}
await running.stop();
process.stdout.write(JSON.stringify(byRequest));
