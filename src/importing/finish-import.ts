/** Finishes imports that were begun: by their staged batches, whoever began them. */
import { type AddBatches, dataSetDecider } from '../../commands/data-set/data-set.ts';
import { decodeEvent } from '../../events/catalog.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { ImportCause, ImportServices } from './import-services.ts';
import { inAppends } from './pack-batches.ts';
import { readStaged } from './staged-batches.ts';

type Terms = AddBatches['terms'];

/** Finishes the import that is under way in the data set, if there is one; abandons it where its batches are lost. */
export async function finishImport(
  services: ImportServices,
  dataset: string,
  cause: ImportCause,
): Promise<void> {
  const { state } = await services.commands.load(dataSetDecider, dataset, cause.at);
  if (state.status !== 'importing') return;
  const { importId, next } = state;
  const terms = await termsOf(services.events, dataset, importId);
  if (await addStaged(services, terms, next, cause)) return;
  await services.commands.run(
    dataSetDecider,
    dataset,
    { type: 'AbandonImport', dataset, importId, reason: 'its staged batches are gone' },
    { ...cause, commandId: `${importId}:abandon` },
  );
}

/** Adds the staged batches from this number on, and forgets them. @returns false where there are none */
export async function addStaged(
  services: ImportServices,
  terms: Terms,
  from: number,
  cause: ImportCause,
): Promise<boolean> {
  const { dataset, importId } = terms;
  const staged = await readStaged(services.blobs, importId, from);
  if (staged === null) return false;
  let next = from;
  for await (const batches of inAppends(staged)) {
    const outcome = await services.commands.run(
      dataSetDecider,
      dataset,
      { type: 'AddBatches', terms, from: next, batches },
      { ...cause, commandId: `${importId}:${next}` },
    );
    // Somebody else has finished or abandoned it meanwhile, and the next one has begun.
    if (outcome.kind === 'rejected') return true;
    next += batches.length;
  }
  await services.blobs.remove(importId);
  return true;
}

async function termsOf(events: EventStore, dataset: string, importId: string): Promise<Terms> {
  for await (const recorded of events.read(`dataset-${dataset}`, { direction: 'backwards' })) {
    const event = decodeEvent(recorded);
    if (event.type !== 'ImportBegun' || event.data.importId !== importId) continue;
    const { attribution, batches } = event.data;
    return { dataset, importId, attribution, batches };
  }
  throw new Error(`the import ${importId} of ${dataset} has no beginning`);
}
