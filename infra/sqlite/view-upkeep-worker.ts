/** The worker behind view-upkeep.ts: it writes the views on a connection of its own. */
import { workerData } from 'node:worker_threads';
import { ViewsUnavailable } from '../../projections/view-store.ts';
import { serveQuestions } from './serve-questions.ts';
import { type ViewEngine, viewEngineBeside, type ViewsOpenHere } from './view-engine.ts';
import { takeStep, type ViewChore } from './view-steps.ts';
import type { StepAnswer } from './view-upkeep.ts';
import { whyOf } from './why.ts';

// Only view-upkeep.ts starts this worker, and it passes the place.
const place = workerData as ViewsOpenHere;

let opened: ViewEngine | undefined;

async function answerTo(chore: ViewChore): Promise<StepAnswer> {
  try {
    const engine = (opened ??= viewEngineBeside(place));
    return { kind: 'taken', isLast: await engine.write(() => takeStep(engine, chore)) };
  } catch (error) {
    return { kind: error instanceof ViewsUnavailable ? 'unavailable' : 'bug', message: whyOf(error) };
  }
}

serveQuestions(answerTo, () => opened?.close());
