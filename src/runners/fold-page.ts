/**
 * What a page of events makes of one view's documents: each touched document is loaded once, changed by its events in
 * order, and written once.
 */
import type { RecordedEvent } from '../../events/event.ts';
import { checkDocument } from '../../projections/page-query.ts';
import type { Handler, Projection } from '../../projections/projection.ts';
import type { IndexedDocument, ViewWrite } from '../../projections/view-store.ts';
import { wordBands } from '../../projections/words.ts';
import type { Breath } from './breath.ts';

export interface PageFold {
  readonly writes: readonly ViewWrite[];
  /** The event that the view could not take: the writes are of the events before it. */
  readonly poison: Poison | null;
}

export interface Poison {
  readonly event: RecordedEvent;
  readonly error: unknown;
}

export interface PageWork<Event extends RecordedEvent> {
  readonly decode: (recorded: RecordedEvent) => Event;
  readonly load: (keys: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly breath: Breath;
}

type View<Event extends RecordedEvent> = Projection<unknown, Event>;

/** An event with what the view does about it. */
interface Step<Event> {
  readonly event: Event;
  readonly handler: Handler<unknown, Event>;
  readonly keys: readonly string[];
}

interface Draft {
  readonly json: string | undefined;
  document: unknown;
  position: string;
}

/**
 * @param events of one page, in order, that the view has not seen
 * @throws what `load` throws; what the view itself throws makes an event its poison
 */
export async function foldPage<Event extends RecordedEvent>(
  view: View<Event>,
  events: readonly RecordedEvent[],
  { decode, load, breath }: PageWork<Event>,
): Promise<PageFold> {
  const steps: Step<Event>[] = [];
  const poison = await planSteps(view, events, decode, steps, breath);
  if (steps.length === 0) return { writes: [], poison };
  const stored = await load([...new Set(steps.flatMap((step) => step.keys))]);
  try {
    return { writes: await apply(view, steps, stored, breath), poison };
  } catch {
    // Which event it was shows when each is taken for itself.
    return applyOneByOne(view, steps, stored, breath, poison);
  }
}

/** Appends the steps up to the first event that cannot be understood, and answers with that one. */
async function planSteps<Event extends RecordedEvent>(
  view: View<Event>,
  events: readonly RecordedEvent[],
  decode: PageWork<Event>['decode'],
  steps: Step<Event>[],
  breath: Breath,
): Promise<Poison | null> {
  for (const recorded of events) {
    if (!handles(view, recorded.type)) continue;
    try {
      const event = decode(recorded);
      const handler = handlerOf(view, event);
      if (handler !== undefined) steps.push({ event, handler, keys: handler.keys(event) });
    } catch (error) {
      return { event: recorded, error };
    }
    if (breath.isDue()) await breath.take();
  }
  return null;
}

async function apply<Event extends RecordedEvent>(
  view: View<Event>,
  steps: readonly Step<Event>[],
  stored: ReadonlyMap<string, string>,
  breath: Breath,
): Promise<readonly ViewWrite[]> {
  const drafts = new Map<string, Draft>();
  for (const { event, handler, keys } of steps) {
    for (const key of keys) {
      const draft = drafts.get(key) ?? draftOf(stored.get(key));
      drafts.set(key, draft);
      draft.document = handler.apply(draft.document, event, key);
      draft.position = event.position;
    }
    if (breath.isDue()) await breath.take();
  }
  const writes: ViewWrite[] = [];
  for (const [key, draft] of drafts) {
    const write = writeOf(view, key, draft);
    if (write !== null) writes.push(write);
    if (breath.isDue()) await breath.take();
  }
  return writes;
}

async function applyOneByOne<Event extends RecordedEvent>(
  view: View<Event>,
  steps: readonly Step<Event>[],
  stored: ReadonlyMap<string, string>,
  breath: Breath,
  later: Poison | null,
): Promise<PageFold> {
  const writes = new Map<string, ViewWrite>();
  const current = new Map(stored);
  for (const step of steps) {
    try {
      for (const write of await apply(view, [step], current, breath)) {
        writes.set(write.key, write);
        if (write.document === null) current.delete(write.key);
        else current.set(write.key, write.document.json);
      }
    } catch (error) {
      return { writes: [...writes.values()], poison: { event: step.event, error } };
    }
  }
  return { writes: [...writes.values()], poison: later };
}

function draftOf(json: string | undefined): Draft {
  return { json, document: json === undefined ? undefined : JSON.parse(json), position: '' };
}

/** Null when nothing changed. */
function writeOf<Event extends RecordedEvent>(
  view: View<Event>,
  key: string,
  { json: before, document, position }: Draft,
): ViewWrite | null {
  if (document === undefined) return before === undefined ? null : { key, position, document: null };
  const json = JSON.stringify(document);
  if (json === before) return null;
  const words = view.words === undefined ? null : wordBands(view.words(document));
  const indexed: IndexedDocument = { json, fields: view.index(document), words };
  checkDocument(view, indexed);
  return { key, position, document: indexed };
}

export function handles<Event extends RecordedEvent>({ on }: View<Event>, type: string): boolean {
  return Object.hasOwn(on, type);
}

/** Handlers are listed by the very type of event that they take. */
function handlerOf<Event extends RecordedEvent>(
  { on }: View<Event>,
  event: Event,
): Handler<unknown, Event> | undefined {
  const handlers = on as Readonly<Record<string, Handler<unknown, Event> | undefined>>;
  return handlers[event.type];
}
