/**
 * The schema of a database is a text in its file. Where a disk has changed a letter of it, the file is told to be damaged:
 * whoever starts has one line, and no stack.
 */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { NO_STREAM } from '../../../events/event-store.ts';
import { openSqliteLog } from '../../../infra/sqlite/event-store.ts';
import { openSqliteMeter } from '../../../infra/sqlite/meter.ts';
import { openSqliteQueue } from '../../../infra/sqlite/queue.ts';
import { openSqliteViewStore } from '../../../infra/sqlite/view-store.ts';
import type { CollectionSpec } from '../../../projections/view-store.ts';
import { failureKind } from '../../../src/logging/failures.ts';
import { newEvent } from '../../support/new-event.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';

const SPEC: CollectionSpec = {
  name: 'things',
  version: 1,
  fields: { owner: 'text', tags: 'texts', size: 'integer' },
  orders: { bySize: [{ field: 'size', direction: 'asc' }] },
  searchable: true,
};
/** As test/damage flips them: what was a letter is none any more, and may still be one of a name. */
const FLIP = 0xa5;

interface Kept {
  readonly make: (path: string) => Promise<void>;
  /** Asks what is asked at a start and after it. */
  readonly use: (path: string) => Promise<void>;
  /** Of a file that a worker opens, whose every start takes a while, not each word is changed. */
  readonly everyWord: number;
}

const FILES: Readonly<Record<string, Kept>> = {
  'bourse.db': { make: makeLog, use: useLog, everyWord: 1 },
  'views.db': { make: makeViews, use: useViews, everyWord: 1 },
  'queue.db': { make: useQueue, use: useQueue, everyWord: 15 },
  'meter.db': { make: useMeter, use: useMeter, everyWord: 15 },
};

describe('A file whose schema was changed', function () {
  this.timeout(120_000);
  let folder: TempFolder;
  beforeEach(async () => void (folder = await tempFolder()));
  afterEach(() => folder.remove());

  for (const [name, { make, use, everyWord }] of Object.entries(FILES)) {
    it(`is told to be damaged: ${name}`, async () => {
      const sound = folder.file('sound.db');
      await make(sound);
      const places = schemaWords(sound).filter((_, index) => index % everyWord === 0);
      expect(places.length).to.be.greaterThan(5);
      const failures: string[] = [];
      let refused = 0;
      for (const place of places) {
        const path = folder.file(name);
        for (const suffix of ['', '-wal', '-shm', '-head']) rmSync(path + suffix, { force: true });
        copyFileSync(sound, path);
        flip(path, place);
        const failure = await failureOf(use(path));
        if (failure !== null) refused += 1;
        if (failure !== null && failureKind(failure) === 'bug') failures.push(`${place}: ${failure.message}`);
      }
      expect(failures, failures.join('\n')).to.have.lengthOf(0);
      expect(refused, 'the test has gone blind').to.be.greaterThan(places.length / 3);
    });
  }

  it('is told to be damaged where the registry of the views is', async () => {
    const sound = folder.file('sound.db');
    await makeViews(sound);
    const spec = readFileSync(sound).indexOf('{"name":"things"');
    const end = readFileSync(sound).indexOf('"searchable":true}', spec);
    let seenByReadiness = 0;
    for (let place = spec; place < end; place += 7) {
      const path = folder.file('views.db');
      copyFileSync(sound, path);
      flip(path, place);
      const failure = await failureOf(useViews(path));
      expect(failureKind(failure), `at ${place}: ${failure?.message}`).to.equal('unavailable');
      const seen = await failureOf(checkViews(path));
      // Other fields or orders are found by whoever knows which there should be.
      if (seen === null) continue;
      seenByReadiness += 1;
      expect(failureKind(seen), `by readiness, at ${place}: ${seen.message}`).to.equal('unavailable');
    }
    expect(seenByReadiness, 'the test has gone blind').to.be.greaterThan(5);
  });
});

function failureOf(work: Promise<void>): Promise<Error | null> {
  return work.then(
    () => null,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
}

function flip(path: string, place: number): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(place) ^ FLIP, place);
  writeFileSync(path, bytes);
}

/** Where in the file each word of its schema is; all of it is copied into the file first. */
function schemaWords(path: string): readonly number[] {
  const db = new Database(path);
  db.pragma('wal_checkpoint(TRUNCATE)');
  const texts = db.prepare<[], string>('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL').pluck().all();
  db.close();
  const bytes = readFileSync(path);
  return texts.flatMap((text) => {
    const at = bytes.indexOf(text);
    return [...text.matchAll(/\w{2,}/g)].map(({ index }) => at + index);
  });
}

/** As `/readyz` asks them. */
async function checkViews(path: string): Promise<void> {
  const store = openSqliteViewStore(path);
  try {
    await store.checkWritable?.();
  } finally {
    await store.close();
  }
}

async function makeLog(path: string): Promise<void> {
  const { store, checkpoints, close } = await openSqliteLog({ path });
  await store.append('stream', NO_STREAM, [newEvent(), newEvent()]);
  await checkpoints.set('reaction', '1');
  await close();
}

async function useLog(path: string): Promise<void> {
  const { store, checkpoints, inspect, close } = await openSqliteLog({ path });
  try {
    const head = await store.head();
    for await (const _ of store.read('stream'));
    for await (const _ of store.read('stream', { direction: 'backwards' }));
    if (head !== null) await store.marks.at(head);
    await checkpoints.get('reaction');
    for await (const { findings } of inspect()) if (findings.length > 0) return;
  } finally {
    await close();
  }
}

function documentOf(size: number) {
  const fields = { owner: `owner ${size}`, tags: [`tag ${size}`], size };
  return { fields, words: [[`word${size}`], [], []] as const, json: `{"size":${size}}` };
}

async function makeViews(path: string): Promise<void> {
  const store = openSqliteViewStore(path);
  await store.open([SPEC]);
  await store.beginLive([SPEC]);
  const writes = [{ key: 'key', position: '1', document: documentOf(1) }];
  await store.commit([{ view: 'things', generation: 1, from: null, to: '1', writes }]);
  await store.close();
}

async function useViews(path: string): Promise<void> {
  const store = openSqliteViewStore(path);
  try {
    await store.open([SPEC]);
    await store.marks();
    await store.skipped();
    await store.getJson('things', 'key');
    await store.page('things', { filter: { owner: 'owner 1' }, order: 'bySize', limit: 5 });
    await store.load('things', 1, ['key']);
    const writes = [{ key: 'key', position: '2', document: documentOf(2) }];
    await store.commit([{ view: 'things', generation: 1, from: '1', to: '2', writes }]);
    await store.checkWritable?.();
  } finally {
    await store.close();
  }
}

async function useQueue(path: string): Promise<void> {
  const { queue, deliveries, close } = openSqliteQueue(path);
  try {
    await queue.mark();
    await queue.add([{ id: 'task', name: 'name', payload: '{}', dueAtMs: 0 }]);
    await queue.claim('name', 1, 1_000);
    await deliveries.prune('2026');
  } finally {
    await close();
  }
}

async function useMeter(path: string): Promise<void> {
  const { meter, close } = openSqliteMeter(path);
  try {
    await meter.unsaved(1);
    await meter.prune();
  } finally {
    await close();
  }
}
