/** Finishes imports that were begun: by their staged batches, whoever began them. */
import { type AddBatches, dataSetDecider } from '../../commands/data-set/data-set.ts';
import { decodeEvent } from '../../events/catalog.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { ImportCause, ImportServices } from './import-services.ts';
import { inAppends } from './pack-batches.ts';
import { readStaged } from './staged-batches.ts';
import { streamIdOf } from '../commanding/command-runner.ts';

type Terms = AddBatches['terms'];

/** Finishes the import that is under way in the data set, if there is one; abandons it where its batches are lost. */
export async function finishImport(
  services: ImportServices,
  dataset: string,
  cause: ImportCause,
): Promise<void> {
  const { state } = await services.commands.load(dataSetDecider, dataset, cause.at);
  if (state.status !== 'importing') return;
  const terms = await termsOf(services.events, dataset, state.importId);
  await addStaged(services, terms, state.next, cause);
}

export type ImportEnd = 'finished' | 'abandoned';

/** Adds the staged batches from this number on, and forgets them. @returns how the import ended, whoever ended it */
export async function addStaged(
  services: ImportServices,
  terms: Terms,
  from: number,
  cause: ImportCause,
): Promise<ImportEnd> {
  const { dataset, importId } = terms;
  const staged = await readStaged(services.blobs, importId, from);
  // Somebody else has finished it and forgotten them, or nobody has them any more.
  if (staged === null) {
    await abandon(services, terms, cause);
    return endOf(services.events, dataset, importId);
  }
  let next = from;
  for await (const batches of inAppends(staged, terms.attribution)) {
    const outcome = await services.commands.run(
      dataSetDecider,
      dataset,
      { type: 'AddBatches', terms, from: next, batches },
      { ...cause, commandId: `${importId}:${next}` },
    );
    // Somebody else has ended it meanwhile.
    if (outcome.kind === 'rejected') break;
    next += batches.length;
  }
  await services.blobs.remove(importId);
  return endOf(services.events, dataset, importId);
}

/** Changes nothing where it has ended already. */
async function abandon({ commands }: ImportServices, { dataset, importId }: Terms, cause: ImportCause) {
  await commands.run(
    dataSetDecider,
    dataset,
    { type: 'AbandonImport', dataset, importId, reason: 'its staged batches are gone' },
    { ...cause, commandId: `${importId}:abandon` },
  );
}

async function endOf(events: EventStore, dataset: string, importId: string): Promise<ImportEnd> {
  for await (const { type } of lastFirst(events, dataset, importId)) {
    if (type === 'ImportFinished') return 'finished';
    if (type === 'ImportAbandoned') return 'abandoned';
    break;
  }
  throw new Error(`the import ${importId} of ${dataset} has not ended`);
}

async function termsOf(events: EventStore, dataset: string, importId: string): Promise<Terms> {
  for await (const { type, data } of lastFirst(events, dataset, importId)) {
    if (type !== 'ImportBegun') continue;
    const { attribution, batches } = data;
    return { dataset, importId, attribution, batches };
  }
  throw new Error(`the import ${importId} of ${dataset} has no beginning`);
}

/** What is recorded of one import. */
async function* lastFirst(events: EventStore, dataset: string, importId: string) {
  for await (const recorded of events.read(streamIdOf(dataSetDecider, dataset), { direction: 'backwards' })) {
    const event = decodeEvent(recorded);
    if ('importId' in event.data && event.data.importId === importId) yield event;
  }
}
