/** Takes the events of a page into a view's documents, one after the other. */
import type { RecordedEvent } from '../../events/event.ts';
import { type AnyProjection, type Handler, handlerOf } from '../../projections/projection.ts';
import { wordBands } from '../../projections/words.ts';
import type { TimeSlice } from '../timing/time-slice.ts';
import { indexedDocument, type DocumentBuffer } from './document-buffer.ts';

/** An event that the view cannot take: what comes before it has been taken in, nothing of it has. */
export interface Poison {
  readonly event: RecordedEvent;
  readonly error: unknown;
}

export interface PageWork {
  readonly decode: (recorded: RecordedEvent) => RecordedEvent;
  readonly load: (keys: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly slice: TimeSlice;
  /** Checks after each event that its documents can be written, so that the one is found after which they cannot. */
  readonly isCareful: boolean;
}

/** An event with what the view does about it. */
interface Step {
  readonly event: RecordedEvent;
  readonly handler: Handler<unknown, RecordedEvent>;
  readonly keys: readonly string[];
}

interface Plan {
  readonly steps: readonly Step[];
  /** The keys of documents that are to be loaded. */
  readonly missing: ReadonlySet<string>;
  /** The keys of documents that begin here. */
  readonly created: ReadonlySet<string>;
  readonly poison: Poison | null;
}

/**
 * @param events in order, which the view handles and has not seen
 * @throws what `load` throws; what the view itself throws makes an event its poison
 */
export async function foldPage(
  view: AnyProjection,
  events: readonly RecordedEvent[],
  buffer: DocumentBuffer,
  work: PageWork,
): Promise<Poison | null> {
  const { load, slice, isCareful } = work;
  const { steps, missing, created, poison } = await planSteps(view, events, buffer, work);
  buffer.create(created);
  if (missing.size > 0) buffer.put(missing, await load([...missing]));
  for (const step of steps) {
    try {
      takeStep(view, step, buffer, isCareful);
    } catch (error) {
      return { event: step.event, error };
    }
    if (slice.isOver()) await slice.yield();
  }
  return poison;
}

/** The steps up to the first event that cannot be understood. */
async function planSteps(
  view: AnyProjection,
  events: readonly RecordedEvent[],
  buffer: DocumentBuffer,
  { decode, slice }: PageWork,
): Promise<Plan> {
  const steps: Step[] = [];
  const missing = new Set<string>();
  const created = new Set<string>();
  for (const recorded of events) {
    try {
      const event = decode(recorded);
      const handler = handlerOf(view, event);
      if (handler === undefined) continue;
      const keys = distinct(handler.keys(event));
      const unheld = handler.creates === true ? created : missing;
      for (const key of keys) if (!buffer.holds(key) && !created.has(key)) unheld.add(key);
      steps.push({ event, handler, keys });
    } catch (error) {
      return { steps, missing, created, poison: { event: recorded, error } };
    }
    if (slice.isOver()) await slice.yield();
  }
  return { steps, missing, created, poison: null };
}

/** All documents of the event change, or, when one of them throws, none. */
function takeStep(
  view: AnyProjection,
  { event, handler, keys }: Step,
  buffer: DocumentBuffer,
  isCareful: boolean,
): void {
  const documents = keys.map((key) => {
    const document = handler.apply(buffer.document(key), event, key);
    if (isCareful && document !== undefined) {
      indexedDocument(view, document, view.words === undefined ? null : wordBands(view.words(document)));
    }
    return document;
  });
  keys.forEach((key, i) => buffer.change(key, documents[i], event.position));
}

function distinct(keys: readonly string[]): readonly string[] {
  return keys.length < 2 ? keys : [...new Set(keys)];
}
