/** Takes the events of a page into a view's documents, one after the other. */
import type { RecordedEvent } from '../../events/event.ts';
import type { Handler, Projection } from '../../projections/projection.ts';
import { wordBands } from '../../projections/words.ts';
import type { Breath } from './breath.ts';
import { indexedDocument, type Workspace } from './workspace.ts';

/** An event that the view cannot take: what comes before it has been taken in, nothing of it has. */
export interface Poison {
  readonly event: RecordedEvent;
  readonly error: unknown;
}

export interface PageWork<Event extends RecordedEvent> {
  readonly decode: (recorded: RecordedEvent) => Event;
  readonly load: (keys: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly breath: Breath;
  /** Checks after each event that its documents can be written, so that the one is found after which they cannot. */
  readonly isCareful: boolean;
}

type View<Event extends RecordedEvent> = Projection<unknown, Event>;

/** An event with what the view does about it. */
interface Step<Event> {
  readonly event: Event;
  readonly handler: Handler<unknown, Event>;
  readonly keys: readonly string[];
}

/**
 * @param events in order, none of which the view has seen
 * @throws what `load` throws; what the view itself throws makes an event its poison
 */
export async function foldPage<Event extends RecordedEvent>(
  view: View<Event>,
  events: readonly RecordedEvent[],
  workspace: Workspace,
  work: PageWork<Event>,
): Promise<Poison | null> {
  const { load, breath, isCareful } = work;
  const { steps, poison } = await planSteps(view, events, work);
  const missing = workspace.missing(steps.flatMap((step) => step.keys));
  if (missing.length > 0) workspace.put(missing, await load(missing));
  for (const step of steps) {
    try {
      takeStep(view, step, workspace, isCareful);
    } catch (error) {
      return { event: step.event, error };
    }
    if (breath.isDue()) await breath.take();
  }
  return poison;
}

/** The steps up to the first event that cannot be understood. */
async function planSteps<Event extends RecordedEvent>(
  view: View<Event>,
  events: readonly RecordedEvent[],
  { decode, breath }: PageWork<Event>,
): Promise<{ readonly steps: readonly Step<Event>[]; readonly poison: Poison | null }> {
  const steps: Step<Event>[] = [];
  for (const recorded of events) {
    if (!Object.hasOwn(view.on, recorded.type)) continue;
    try {
      const event = decode(recorded);
      const handler = handlerOf(view, event);
      if (handler !== undefined) steps.push({ event, handler, keys: handler.keys(event) });
    } catch (error) {
      return { steps, poison: { event: recorded, error } };
    }
    if (breath.isDue()) await breath.take();
  }
  return { steps, poison: null };
}

/** All documents of the event change, or, when one of them throws, none. */
function takeStep<Event extends RecordedEvent>(
  view: View<Event>,
  { event, handler, keys }: Step<Event>,
  workspace: Workspace,
  isCareful: boolean,
): void {
  const changes = new Map<string, unknown>();
  for (const key of keys) {
    const before = changes.has(key) ? changes.get(key) : workspace.document(key);
    const document = handler.apply(before, event, key);
    if (isCareful && document !== undefined) {
      indexedDocument(view, document, view.words === undefined ? null : wordBands(view.words(document)));
    }
    changes.set(key, document);
  }
  for (const [key, document] of changes) workspace.change(key, document, event.position);
}

/** Handlers are listed by the very type of event that they take. */
function handlerOf<Event extends RecordedEvent>(
  { on }: View<Event>,
  event: Event,
): Handler<unknown, Event> | undefined {
  const handlers = on as Readonly<Record<string, Handler<unknown, Event> | undefined>>;
  return handlers[event.type];
}
