/**
 * Views in this process's memory: for tests and as the model that other adapters are compared with. Pages are found
 * by looking at every document.
 */
import { checkPageQuery, checkSameShape } from '../../projections/page-query.ts';
import type {
  CollectionSpec,
  GenerationStatus,
  IndexedDocument,
  SkippedEvent,
  StuckAt,
  ViewCommit,
  ViewStore,
} from '../../projections/view-store.ts';
import { pageOf, type StoredDocument } from './view-page.ts';

interface Generation {
  readonly spec: CollectionSpec;
  readonly generation: number;
  live: boolean;
  checkpoint: string | null;
  stuck: StuckAt | null;
  readonly documents: Map<string, StoredDocument>;
}

export function memoryViewStore(): ViewStore {
  const generations = new Map<number, Generation>();
  const specs = new Map<string, CollectionSpec>();
  const skips = new Map<string, SkippedEvent>();
  let lastGeneration = 0;

  const begin = (spec: CollectionSpec, live: boolean): Generation => {
    lastGeneration += 1;
    const generation = {
      spec,
      generation: lastGeneration,
      live,
      checkpoint: null,
      stuck: null,
      documents: new Map(),
    };
    generations.set(lastGeneration, generation);
    return generation;
  };
  const liveOf = (view: string): Generation => {
    for (const generation of generations.values()) {
      if (generation.live && generation.spec.name === view) return generation;
    }
    throw new RangeError(`there is no view ${view}`);
  };
  const find = (view: string, generation: number): Generation | undefined => {
    const found = generations.get(generation);
    return found?.spec.name === view ? found : undefined;
  };
  const statuses = (): GenerationStatus[] => [...generations.values()].map(statusOf);

  return {
    async open(opened) {
      for (const spec of opened) {
        specs.set(spec.name, spec);
        const live = [...generations.values()].find((one) => one.live && one.spec.name === spec.name);
        if (live === undefined) begin(spec, true);
        else checkSameShape(live.spec, spec);
      }
      return statuses();
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
      const found = new Map<string, string>();
      for (const key of keys) {
        const json = documents?.get(key)?.json;
        if (json !== undefined) found.set(key, json);
      }
      return found;
    },
    async commit(commits) {
      return commits
        .filter((commit) => !commitOne(find(commit.view, commit.generation), commit))
        .map(({ view }) => view);
    },
    async beginGeneration(spec) {
      return statusOf(begin(spec, false));
    },
    async makeReadable() {},
    async promote(view, generation) {
      const promoted = find(view, generation);
      if (promoted === undefined) return false;
      for (const other of generations.values()) {
        if (other.spec.name === view && other !== promoted) generations.delete(other.generation);
      }
      promoted.live = true;
      return true;
    },
    async dropGeneration(view, generation) {
      if (find(view, generation)?.live === false) generations.delete(generation);
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
      return statuses();
    },
    async close() {},
  };
}

function commitOne(generation: Generation | undefined, { from, to, writes }: ViewCommit): boolean {
  if (generation === undefined || generation.checkpoint !== from) return false;
  for (const { key, document } of writes) {
    if (document === null) generation.documents.delete(key);
    else generation.documents.set(key, { key, ...copyOf(document) });
  }
  generation.checkpoint = to;
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
