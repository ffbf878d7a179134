/**
 * Views in this process's memory: for tests and as the model that other adapters are compared with. Pages are found
 * by looking at every document.
 */
import type { LogMark } from '../../../events/log-mark.ts';
import { checkPageQuery, checkSameShape } from '../../../projections/page-query.ts';
import {
  type CollectionSpec,
  type GenerationStatus,
  type IndexedDocument,
  type SkippedEvent,
  type StuckAt,
  ViewBeingBuilt,
  type ViewCommit,
  type ViewStore,
} from '../../../projections/view-store.ts';
import { pageOf, type StoredDocument } from './view-page.ts';

interface Generation {
  readonly spec: CollectionSpec;
  readonly generation: number;
  live: boolean;
  checkpoint: string | null;
  mark: LogMark | null;
  stuck: StuckAt | null;
  readonly documents: Map<string, StoredDocument>;
}

export function memoryViewStore(): ViewStore {
  const registry = generationRegistry();
  const { all, begin, find, live } = registry;
  const specs = new Map<string, CollectionSpec>();
  const liveOf = (view: string): Generation => {
    const found = live(view);
    if (found !== undefined) return found;
    throw specs.has(view) ? new ViewBeingBuilt(view) : new RangeError(`there is no view ${view}`);
  };
  const skips = new Map<string, SkippedEvent>();
  return {
    async open(opened) {
      for (const spec of opened) {
        specs.set(spec.name, spec);
        for (const one of all()) if (one.spec.name === spec.name) checkSameShape(one.spec, spec);
      }
      return all().map(statusOf);
    },
    async beginLive(missing) {
      for (const spec of missing) if (live(spec.name) === undefined) begin(spec, true);
    },
    async getJson(view, key) {
      return liveOf(view).documents.get(key)?.json;
    },
    async page(view, query) {
      const { spec, documents } = liveOf(view);
      return pageOf(documents, query, checkPageQuery(spec, query, specs.get(view)));
    },
    async load(view, generation, keys) {
      const documents = find(view, generation)?.documents;
      const loaded = keys.map((key) => [key, documents?.get(key)?.json] as const);
      return new Map(loaded.filter((one): one is readonly [string, string] => one[1] !== undefined));
    },
    async commit(commits) {
      const isRefused = (commit: ViewCommit) => !commitOne(find(commit.view, commit.generation), commit);
      return commits.filter(isRefused).map(({ view }) => view);
    },
    ...rebuilding(registry),
    async forgetAll() {
      for (const one of all()) registry.drop(one);
    },
    async setStuck(view, generation, stuck) {
      const found = find(view, generation);
      if (found !== undefined) found.stuck = stuck;
    },
    async skip(skipped) {
      const id = `${skipped.view} ${skipped.eventId}`;
      if (!skips.has(id)) skips.set(id, skipped);
    },
    async skipped() {
      return [...skips.values()];
    },
    async status() {
      return all().map(statusOf);
    },
    async marks() {
      return all().map(({ spec, generation, checkpoint, mark }) => ({
        view: spec.name,
        generation,
        checkpoint,
        mark,
      }));
    },
    async close() {},
  };
}

function generationRegistry() {
  const generations = new Map<number, Generation>();
  let last = 0;
  return {
    all: (): Generation[] => [...generations.values()],
    begin: (spec: CollectionSpec, live: boolean): Generation => {
      last += 1;
      const place = { checkpoint: null, mark: null, stuck: null };
      const begun = { spec, generation: last, live, ...place, documents: new Map() };
      generations.set(last, begun);
      return begun;
    },
    find: (view: string, generation: number): Generation | undefined => {
      const found = generations.get(generation);
      return found?.spec.name === view ? found : undefined;
    },
    live: (view: string): Generation | undefined => {
      for (const one of generations.values()) if (one.live && one.spec.name === view) return one;
      return undefined;
    },
    drop: ({ generation }: Generation): void => void generations.delete(generation),
  };
}

type Rebuilding = Pick<ViewStore, 'beginGeneration' | 'makeReadable' | 'promote' | 'dropGeneration'>;

function rebuilding({ all, begin, find, drop }: ReturnType<typeof generationRegistry>): Rebuilding {
  return {
    async beginGeneration(spec) {
      return statusOf(begin(spec, false));
    },
    async makeReadable() {},
    async promote(view, generation) {
      const promoted = find(view, generation);
      if (promoted === undefined) return false;
      for (const other of all()) if (other.spec.name === view && other !== promoted) drop(other);
      promoted.live = true;
      return true;
    },
    async dropGeneration(view, generation) {
      const found = find(view, generation);
      if (found?.live === false) drop(found);
    },
  };
}

function commitOne(generation: Generation | undefined, { from, to, writes, mark }: ViewCommit): boolean {
  if (generation === undefined || generation.checkpoint !== from) return false;
  for (const { key, document } of writes) {
    if (document === null) generation.documents.delete(key);
    else generation.documents.set(key, { key, ...copyOf(document) });
  }
  generation.checkpoint = to;
  generation.mark = mark ?? generation.mark;
  return true;
}

function copyOf({ json, fields, words }: IndexedDocument): IndexedDocument {
  return structuredClone({ json, fields, words });
}

function statusOf({ spec, generation, live, checkpoint, stuck, documents }: Generation): GenerationStatus {
  return {
    view: spec.name,
    version: spec.version,
    generation,
    live,
    documents: documents.size,
    checkpoint,
    stuck,
  };
}
