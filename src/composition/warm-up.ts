/** Makes after the start what the first requests would else wait for, a little at a time so that none waits for it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import { eventCatalog } from '../../events/catalog.ts';
import { compiled } from '../../events/compiled-schema.ts';
import { type JobDocument, jobsProjection } from '../../projections/jobs.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import { routes } from '../http/routes.ts';
import { parseDocument } from '../../projections/stored-document.ts';
import type { Services } from '../operations/services.ts';

/** Each may have to be read back for a day, and is kept. */
const LAST_SPENDS = 3;

/**
 * Without it everything is as right, and the first requests slower. Ends early, between two steps, when the signal is
 * aborted.
 * @throws what the engines throw
 */
export async function warmUp(services: Services, signal: AbortSignal): Promise<void> {
  for await (const _ of steps(services)) {
    if (signal.aborted) return;
    await nextTurn();
  }
}

async function* steps({ projector, digest, views, commands }: Services): AsyncGenerator<unknown> {
  for (const schema of schemas()) yield compiled(schema);
  yield await projector.caughtUp();
  yield await digest.renew();
  for (const mandateId of await lastSpenders(views)) {
    yield await commands.load(mandateDecider, mandateId, new Date().toISOString());
  }
}

/** Every schema that requests and events are parsed by. To compile them all at the start would delay it. */
function schemas() {
  return [...routes.map(({ operation }) => operation.input), ...eventCatalog.map(({ data }) => data)];
}

/** Whoever spent last is the likeliest to spend next, and once one has been read, any other is read faster. */
async function lastSpenders(views: ViewStore): Promise<ReadonlySet<string>> {
  const newest = { filter: {}, order: '-createdAt', limit: LAST_SPENDS };
  const { rows } = await views.page(jobsProjection.name, newest);
  return new Set(rows.map((row) => parseDocument<JobDocument>(row).mandateId));
}
