/**
 * All rows of a data set as they were at one position of the log, in an engine without snapshots, while imports may go
 * on without a pause. A row that changes moves past where the view stood at the start. So the others are read up to
 * there and put aside; then the stream of the data set tells which rows have changed by now, and what they are: these
 * take the place of what was put aside. However fast rows change, all of it is read once.
 */
import { decodeEvent } from '../../events/catalog.ts';
import type { ReadOptions } from '../../events/event-store.ts';
import type { RecordedEvent } from '../../events/event.ts';
import type { DataRow, RowEvent } from '../../projections/data-rows.ts';
import type { Handler } from '../../projections/projection.ts';
import { parseDocument } from '../../projections/stored-document.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import type { Scratch, ScratchFile } from '../ports/scratch.ts';
import { createTimeSlice } from '../timing/time-slice.ts';
import type { RowsPlace } from './row-formats.ts';
import { isListed, liveGeneration, pagesOf, positionOf, type Row, rowOf, RowsMoved } from './row-pages.ts';

export interface ChangingSources {
  readonly views: Pick<ViewStore, 'page' | 'status' | 'load'>;
  readonly scratch: Scratch;
  /** The stream of a data set. */
  readonly history: (dataset: string, options: ReadOptions) => AsyncIterable<RecordedEvent>;
}

/**
 * Rows in groups; retired ones may be among them.
 * @returns where the last change of a row stands; null without rows
 * @throws {RowsMoved} after all rows, or before
 */
export async function* walkChanging(
  { views, scratch, history }: ChangingSources,
  place: RowsPlace,
): AsyncGenerator<readonly Row[], string | null> {
  const { generation, checkpoint } = await liveGeneration(views, place.view);
  const aside = await scratch.create();
  try {
    const put = await putAside(aside, views, place, checkpoint);
    const changes = await changesAfter(checkpoint, place.dataset, history);
    for await (const lines of linesOf(aside, put.bytes))
      yield lines.map(rowOf).filter(({ fields }) => !changes.lastOf.has(String(fields['id'])));
    if (generation !== null)
      yield* changedRows(changes, place, history, (keys) => views.load(place.view, generation, keys));
    const live = await liveGeneration(views, place.view);
    if (live.generation !== generation) throw new RowsMoved();
    return changes.position ?? put.position;
  } finally {
    await aside.close();
  }
}

/** Rows that did not change after the checkpoint. The view has all that was changed up to there. */
async function putAside(
  file: ScratchFile,
  views: Pick<ViewStore, 'page'>,
  place: RowsPlace,
  checkpoint: string | null,
): Promise<{ readonly bytes: number; readonly position: string | null }> {
  let bytes = 0;
  let position: string | null = null;
  for await (const { rows } of pagesOf((query) => views.page(place.view, query), place)) {
    // Made from another log, whose positions mean nothing here.
    if (checkpoint === null && rows.length > 0) throw new RowsMoved();
    const unchanged = rows.filter((row) => (positionOf(row) ?? '') <= (checkpoint ?? ''));
    const text = unchanged.filter(isListed).map(({ json }) => `${json}\n`);
    const piece = Buffer.from(text.join(''));
    await file.append(piece);
    bytes += piece.length;
    position = positionOf(unchanged.at(-1)) ?? position;
    if (unchanged.length < rows.length) break;
  }
  return { bytes, position };
}

interface Changes {
  /** Where the last change of each row that changed stands, by its id: some hundred bytes for each. */
  readonly lastOf: ReadonlyMap<string, string>;
  /** Of the last of them; null where nothing changed. */
  readonly position: string | null;
  readonly first: number;
  readonly last: number;
}

async function changesAfter(
  checkpoint: string | null,
  dataset: string,
  history: ChangingSources['history'],
): Promise<Changes> {
  const slice = createTimeSlice();
  const lastOf = new Map<string, string>();
  let position: string | null = null;
  let [first, last] = [0, -1];
  for await (const recorded of history(dataset, { direction: 'backwards' })) {
    if (checkpoint !== null && recorded.position <= checkpoint) break;
    const event = rowEventOf(recorded);
    if (event === null) continue;
    position ??= event.position;
    last = Math.max(last, event.revision);
    first = event.revision;
    for (const id of idsOf(event)) if (!lastOf.has(id)) lastOf.set(id, event.position);
    if (slice.isOver()) await slice.yield();
  }
  return { lastOf, position, first, last };
}

/** The rows as the view makes them of their last changes, or will. */
async function* changedRows(
  { lastOf, first, last }: Changes,
  place: RowsPlace,
  history: ChangingSources['history'],
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): AsyncGenerator<readonly Row[]> {
  const slice = createTimeSlice();
  /** Rows that began meanwhile, which the view may not have yet. */
  const begun = new Map<string, DataRow | undefined>();
  if (last < first) return;
  for await (const recorded of history(place.dataset, { from: first })) {
    if (recorded.revision > last) break;
    const event = rowEventOf(recorded);
    if (event === null) continue;
    const begins = event.type === 'RowsListed';
    const { keys, apply } = handled(event, place);
    const isLast = idsOf(event).map((id) => lastOf.get(id) === event.position);
    const stored = begins ? NOTHING : await load(keys.filter((key, n) => isLast[n] && !begun.has(key)));
    const rows: (Row & { readonly key: string })[] = [];
    for (const [n, key] of keys.entries()) {
      if (!begins && !isLast[n]) continue;
      const after = apply(begun.get(key) ?? documentOf(stored.get(key)), key);
      if (!isLast[n]) begun.set(key, after);
      else if (after !== undefined) rows.push({ key, json: JSON.stringify(after), fields: { ...after } });
      if (slice.isOver()) await slice.yield();
    }
    // As the view has rows of one position.
    yield rows.toSorted((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  }
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** The documents that the event touches, in the order of its rows, and what it makes of each. */
function handled(event: RowEvent, { handlers }: RowsPlace) {
  // Handlers are listed by the very type of event that they take.
  const handler = handlers[event.type] as Handler<DataRow, RowEvent>;
  return {
    keys: handler.keys(event),
    apply: (before: DataRow | undefined, key: string) => handler.apply(before, event, key),
  };
}

function documentOf(json: string | undefined): DataRow | undefined {
  return json === undefined ? undefined : parseDocument<DataRow>(json);
}

function rowEventOf(recorded: RecordedEvent): RowEvent | null {
  const event = decodeEvent(recorded);
  switch (event.type) {
    case 'RowsListed':
    case 'RowsRevised':
    case 'RowsReturned':
    case 'RowsRetired':
      return event;
    default:
      return null;
  }
}

function idsOf({ data }: RowEvent): readonly string[] {
  return 'ids' in data ? data.ids : data.rows.map(({ id }) => id);
}

async function* linesOf(file: ScratchFile, bytes: number): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of file.read(0, bytes - 1)) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield lines;
  }
}
