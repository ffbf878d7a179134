/**
 * Keeps the views up to date: facts in, documents out. Views that are up to date are fed together; one that is new,
 * rebuilt or mended catches up beside them. An event that a view cannot take stops that view alone, until a person
 * mends or skips it. Two projectors on the same views do no harm: each commit counts only from the checkpoint where it
 * starts, and whoever loses reads anew where its views stand.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { RecordedEvent } from '../../events/event.ts';
import { StoreUnavailable, type EventStore } from '../../events/event-store.ts';
import { ViewsUnavailable, type GenerationStatus, type ViewStore } from '../../projections/view-store.ts';
import type { ProjectorParts, ProjectorError } from './projector-parts.ts';
import { isDone, isLeftToNewer, type ViewStatus, viewStatus } from './projector-status.ts';
import { type Supervisor, supervisor } from './projector-supervisor.ts';
import { type ViewProgress, viewProgress } from './view-progress.ts';
import { openViews } from './generation-status.ts';

const CAUGHT_UP_POLL_MS = 10;
/** Whoever waits for the views is told of a failure that lasts so long, such as a full disk. */
const PATIENCE_MS = 10_000;

export interface ProjectorStatus {
  readonly isRunning: boolean;
  readonly head: string | null;
  /** What keeps the projector itself from going on; null when it does go on. */
  readonly projectorError: ProjectorError | null;
  readonly views: readonly ViewStatus[];
  readonly isHealthy: boolean;
}

export interface Projector {
  /**
   * Opens the views for a process that reads them, whether it projects or not.
   * @throws {StoreUnavailable | ViewsUnavailable} also where a projection has other fields or orders than its version was
   *   built with
   */
  open(): Promise<void>;
  /**
   * What keeps it from going on is in its status, and tried again.
   * @param isAlone whether this process serves nobody meanwhile: it may work in bigger steps
   */
  start(isAlone?: boolean): Promise<void>;
  /** Resolves once the pages under way are committed and nothing runs any more. It may be started again. */
  stop(): Promise<void>;
  /**
   * Whether the live view has taken in everything up to the position: at once, or within the time, also when another
   * process projects. False when it has not, stands still before it, or has no live generation by then.
   */
  reached(view: string, position: string, timeoutMs: number): Promise<boolean>;
  /** From here on nobody waits for a view any more: `reached` answers at once. For a process that is about to end. */
  dismiss(): void;
  /**
   * Resolves when every view has come to where the log ends now, or stands still; new and rebuilt ones are live by then.
   * Also while this process stops projecting and begins again, as when it loses its lease.
   * @param othersMs so long it is left to other processes while this one does not project, or cannot since a newer
   *   program has built what is served; by default without end, and such views are not waited for
   * @throws what keeps the projector from going on, once that has lasted for ten seconds
   * @throws {ViewsUnavailable} no other process has brought them there in that time, or this one is about to end
   */
  caughtUp(othersMs?: number): Promise<void>;
  /**
   * Begins a new generation, which goes live in place of the one there is when it has caught up.
   * @throws {RangeError} there is no such view
   */
  rebuild(view: string): Promise<void>;
  /** Tries the event again at which the view stands still; whichever process projects takes it up. */
  retry(view: string): Promise<void>;
  /**
   * A person's decision to go on without this event, also in later generations.
   * @throws {RangeError} the view does not stand still at this event
   */
  skip(
    view: string,
    eventId: string,
    decision: { readonly by: string; readonly reason: string },
  ): Promise<void>;
  /** @throws {StoreUnavailable | ViewsUnavailable} */
  status(): Promise<ProjectorStatus>;
}

export function createProjector<Event extends RecordedEvent>(given: ProjectorParts<Event>): Projector {
  const parts = { ...given, views: viewsOfLog(given.store, given.views) };
  const { views, projections } = parts;
  const progress = viewProgress(views, parts.now);
  let supervised = supervisor(parts, progress);
  let stopping = new AbortController();
  let running: Promise<void> | null = null;
  let isDismissed = false;

  return {
    open: () => openViews(parts),
    async start(isAlone = false) {
      if (running !== null) return;
      await openViews(parts).catch(onlyUnavailable);
      running ??= supervised.run(stopping.signal, isAlone);
    },
    async stop() {
      stopping.abort();
      progress.close();
      await running;
      running = null;
      supervised = supervisor(parts, progress);
      stopping = new AbortController();
    },
    reached: progress.reached,
    dismiss() {
      isDismissed = true;
      progress.dismiss();
    },
    async caughtUp(othersMs = Infinity) {
      const head = await parts.store.head();
      let isGoingAtMs = performance.now();
      let isOursAtMs = isGoingAtMs;
      while (!isDismissed) {
        const generations = await views.status();
        const isTakenUp = running === null || supervised.hasLooked();
        const isDoneHere = isTakenUp && projections.every((spec) => isDone(spec, generations, head));
        const isLeft = projections.some((spec) => isLeftToNewer(spec, generations, head));
        if (isDoneHere && (!isLeft || othersMs === Infinity)) return;
        const projectorError = supervised.projectorError();
        if (projectorError === null) isGoingAtMs = performance.now();
        else if (performance.now() - isGoingAtMs >= (parts.patienceMs ?? PATIENCE_MS))
          throw projectorError.error;
        if (running !== null && !isDoneHere) isOursAtMs = performance.now();
        else if (performance.now() - isOursAtMs >= othersMs) throw notBroughtThere(othersMs);
        await pause(CAUGHT_UP_POLL_MS);
      }
      throw new ViewsUnavailable('the process ends before the views have come to the end of the log');
    },
    status: () => statusOf(parts, progress, supervised, running !== null),
    ...decisions(parts, () => supervised.lookSoon()),
  };
}

/** What a person may decide, in whatever process. */
function decisions(
  { views, projections, now }: ProjectorParts,
  lookSoon: () => void,
): Pick<Projector, 'rebuild' | 'retry' | 'skip'> {
  const standing = async (view: string) =>
    (await views.status()).filter((one) => one.view === view && one.stuck !== null);
  const retry = async (view: string): Promise<void> => {
    for (const { generation } of await standing(view)) await views.setStuck(view, generation, null);
    lookSoon();
  };
  return {
    async rebuild(view) {
      const spec = projections.find((one) => one.name === view);
      if (spec === undefined) throw new RangeError(`there is no view ${view}`);
      await views.beginGeneration(spec);
      lookSoon();
    },
    retry,
    async skip(view, eventId, decision) {
      const isAtEvent = (await standing(view)).some((one) => one.stuck?.eventId === eventId);
      if (!isAtEvent) throw new RangeError(`${view} does not stand still at ${eventId}`);
      await views.skip({ view, eventId, ...decision, at: new Date(now()).toISOString() });
      await retry(view);
    },
  };
}

async function statusOf(
  { store, views, projections }: ProjectorParts,
  progress: ViewProgress,
  { projectorError }: Supervisor,
  isRunning: boolean,
): Promise<ProjectorStatus> {
  const [head, generations] = await Promise.all([store.head(), views.status()]);
  progress.observe(head, generations);
  const all = projections.map((spec) => viewStatus(spec, generations, head, progress.movementOf(spec.name)));
  return {
    isRunning,
    head,
    projectorError: projectorError(),
    views: all,
    isHealthy: all.every((one) => one.isHealthy),
  };
}

function notBroughtThere(afterMs: number): ViewsUnavailable {
  const seconds = Math.round(afterMs / 1_000);
  return new ViewsUnavailable(
    `the views have not come to the end of the log within ${seconds} s, and keeping them is another process's part: see \`bourse projections status\``,
  );
}

function onlyUnavailable(error: unknown): void {
  if (!(error instanceof ViewsUnavailable || error instanceof StoreUnavailable)) throw error;
}

/** A generation of another log counts as this version's, lower than any that a view is defined with. */
const VERSION_OF_ANOTHER_LOG = 0;

/**
 * The store, with the status of its generations in terms of this log. After the log has moved to another engine they stand
 * at positions of the old one, which say nothing here: each is served while one of this log is built from the beginning.
 */
function viewsOfLog(log: Pick<EventStore, 'knows'>, views: ViewStore): ViewStore {
  const inTermsOfLog = (one: GenerationStatus): GenerationStatus =>
    one.checkpoint === null || log.knows(one.checkpoint)
      ? one
      : { ...one, version: VERSION_OF_ANOTHER_LOG, checkpoint: null, stuck: null };
  return { ...views, status: async () => (await views.status()).map(inTermsOfLog) };
}
