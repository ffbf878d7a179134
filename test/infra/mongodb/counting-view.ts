/**
 * A view whose documents tell whether an event was taken in twice or not at all, with a projector for it of a few lines:
 * it looks where the view stands, takes in what follows, commits, and looks again when it was refused.
 */
import { expect } from 'chai';
import { memoryViewStore } from '../../contract/memory/view-store.ts';
import {
  type CollectionSpec,
  type GenerationStatus,
  type ViewCommit,
  type ViewStore,
  type ViewWrite,
} from '../../../projections/view-store.ts';
import { wordBands } from '../../../projections/words.ts';
import { openLive } from '../../support/open-live.ts';

export const counting: CollectionSpec = {
  name: 'counting',
  version: 1,
  fields: { seen: 'integer', parity: 'text' },
  orders: { seen: [{ field: 'seen', direction: 'desc' }] },
  searchable: true,
};

/** The positions are 1, 2, 3 …; an event without a key changes nothing, and every seventh of a key removes it. */
export type History = readonly (string | null)[];

const positionOf = (index: number): string => String(index + 1).padStart(6, '0');

interface Counted {
  readonly positions: readonly string[];
}

/** The commit of the next events of the history from where the generation stands; null when there are none. */
export async function nextCommit(
  store: ViewStore,
  history: History,
  batch: number,
): Promise<ViewCommit | null> {
  const { generation, checkpoint } = await live(store);
  const start = Number(checkpoint ?? 0);
  const events = history.slice(start, start + batch);
  if (events.length === 0) return null;
  const keys = [...new Set(events.filter((key) => key !== null))];
  const documents = new Map<string, Counted | null>();
  for (const [key, json] of await store.load('counting', generation, keys))
    documents.set(key, JSON.parse(json));
  const changedAt = new Map<string, string>();
  events.forEach((key, i) => {
    if (key === null) return;
    const position = positionOf(start + i);
    const positions = [...(documents.get(key)?.positions ?? []), position];
    documents.set(key, Number(position) % 7 === 0 ? null : { positions });
    changedAt.set(key, position);
  });
  const writes = [...changedAt].map(([key, position]) => writeOf(key, position, documents.get(key) ?? null));
  return {
    view: 'counting',
    generation,
    from: checkpoint,
    to: positionOf(start + events.length - 1),
    writes,
  };
}

/** Takes in the history to its end, whoever else does so. @throws what the store throws */
export async function project(store: ViewStore, history: History, batch: () => number): Promise<void> {
  for (;;) {
    const commit = await nextCommit(store, history, batch());
    if (commit === null) return;
    await store.commit([commit]);
  }
}

/** Every document, their number and the checkpoint are what the history leads to. */
export async function expectDocumentsOf(history: History, store: ViewStore): Promise<void> {
  const model = await modelOf(history);
  const keys = [...new Set(history.filter((key) => key !== null))];
  const [is, should] = [await live(store), await live(model)];
  const documents = await store.load('counting', is.generation, keys);
  expect(documents).to.deep.equal(await model.load('counting', should.generation, keys));
  expect([is.checkpoint, is.documents]).to.deep.equal([should.checkpoint, should.documents]);
}

/** The same, and so is every page. */
export async function expectOutcomeOf(history: History, store: ViewStore): Promise<void> {
  await expectDocumentsOf(history, store);
  const model = await modelOf(history);
  const queries = [
    { filter: {}, order: 'seen', limit: 1_000 },
    { filter: { parity: 'odd' }, order: 'seen', limit: 1_000 },
    { filter: {}, order: 'seen', limit: 1_000, words: ['key'] },
  ];
  for (const query of queries) {
    expect(await store.page('counting', query)).to.deep.equal(await model.page('counting', query));
  }
}

async function modelOf(history: History): Promise<ViewStore> {
  const model = memoryViewStore();
  await openLive(model, [counting]);
  await project(model, history, () => history.length);
  return model;
}

export async function live(store: ViewStore): Promise<GenerationStatus> {
  const found = (await store.status()).find((one) => one.view === 'counting' && one.live);
  if (found === undefined) throw new Error('there is no live generation');
  return found;
}

function writeOf(key: string, position: string, document: Counted | null): ViewWrite {
  if (document === null) return { key, position, document };
  const seen = document.positions.length;
  return {
    key,
    position,
    document: {
      json: JSON.stringify(document),
      fields: { seen, parity: seen % 2 === 0 ? 'even' : 'odd' },
      words: wordBands([`key ${key}`]),
    },
  };
}
