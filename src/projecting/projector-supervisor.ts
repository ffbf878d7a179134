/**
 * Compares the generations there are with the projections of this program, follows what should be followed, and does
 * so again whenever something fails, is moved by another process, or a second has passed.
 */
import type { GenerationStatus, SkippedEvent } from '../../projections/view-store.ts';
import { createAsyncEvent } from '../timing/async-event.ts';
import { createErrorState } from './error-state.ts';
import { planGenerations } from './generation-planner.ts';
import type { ProjectorParts, ProjectorError } from './projector-parts.ts';
import { type GenerationCursor, cursorOf } from './subscription-group.ts';
import { type SubscriptionGroups, subscriptionGroups } from './subscription-groups.ts';
import { currentGenerations, openViews } from './generation-status.ts';
import type { ViewProgress } from './view-progress.ts';
import { rest } from '../timing/rest.ts';

const DEFAULT_PAGE_EVENTS = 500;
/** A commit holds the event loop: about ten milliseconds beside a server, longer where nobody waits. */
const SERVING_BATCH_DOCUMENTS = 1_000;
const ALONE_BATCH_DOCUMENTS = 7_000;
const LOOK_EVERY_MS = 1_000;

export interface Supervisor {
  /**
   * Runs until the signal is aborted and the pages under way are committed.
   * @param isAlone whether this process serves nobody meanwhile
   */
  readonly run: (signal: AbortSignal, isAlone: boolean) => Promise<void>;
  readonly lookSoon: () => void;
  /** Whether what was found at the start has been taken up. */
  readonly hasLooked: () => boolean;
  readonly projectorError: () => ProjectorError | null;
}

export function supervisor(parts: ProjectorParts, progress: ViewProgress): Supervisor {
  const nudge = createAsyncEvent();
  const errors = createErrorState(parts);
  const careful = new Set<string>();
  let batchDocuments = parts.batchDocuments ?? SERVING_BATCH_DOCUMENTS;
  const groups: SubscriptionGroups = subscriptionGroups({
    store: parts.store,
    views: parts.views,
    decode: parts.decode,
    now: parts.now,
    pageSize: parts.pageSize ?? DEFAULT_PAGE_EVENTS,
    batchDocuments: () => batchDocuments,
    onMoved({ projection, checkpoint, live }) {
      errors.over();
      if (live && checkpoint !== null) progress.moved(projection.name, checkpoint);
    },
    onStuck({ projection }) {
      errors.tell(projection.name, 'it stands still at an event that it cannot take');
      nudge.set();
    },
    onRefused() {
      errors.lost();
      nudge.set();
    },
    onUnwritable({ projection }) {
      careful.add(projection.name);
      nudge.set();
    },
    onFailed(error) {
      errors.failed(error, 'group');
      nudge.set();
    },
    // There may be nothing to move for, for a long time.
    onCaughtUp: () => errors.over(),
    promote: (cursor) => promote(cursor, parts, groups, progress),
  });
  let isOpen = false;
  let hasLooked = false;

  const tryLook = async (): Promise<void> => {
    try {
      if (!isOpen) await openViews(parts);
      isOpen = true;
      await look(parts, groups, progress, careful, !hasLooked);
      hasLooked = true;
      errors.looked();
    } catch (error) {
      errors.failed(error, 'look');
      nudge.set();
    }
  };

  return {
    async run(signal, isAlone) {
      if (isAlone) batchDocuments = parts.batchDocuments ?? ALONE_BATCH_DOCUMENTS;
      signal.addEventListener('abort', nudge.set, { once: true });
      while (!signal.aborted) {
        await tryLook();
        await nudge.wait(LOOK_EVERY_MS);
        await rest(errors.pauseMs(), signal);
      }
      await groups.close();
    },
    lookSoon: nudge.set,
    hasLooked: () => hasLooked,
    projectorError: errors.current,
  };
}

async function look(
  parts: ProjectorParts,
  groups: SubscriptionGroups,
  progress: ViewProgress,
  careful: Set<string>,
  isFirst: boolean,
): Promise<void> {
  const { store, views, projections } = parts;
  const committed = groups.checkpoints();
  const [head, generations, skipped] = await Promise.all([
    store.head(),
    currentGenerations(parts),
    views.skipped(),
  ]);
  progress.observe(head, generations);
  const plan = planGenerations(projections, generations);
  for (const one of plan.drop) await views.dropGeneration(one.view, one.generation);
  const begun = plan.begin.map(async (spec) => ({ spec, generation: await views.beginGeneration(spec) }));
  const wanted = [...plan.follow, ...(await Promise.all(begun))];
  for (const { name } of projections) {
    groups.unfollow(name, ({ generation }) => {
      const found = wanted.find((one) => one.generation.generation === generation);
      return found === undefined || hasGoneBack(found.generation.checkpoint, committed.get(generation));
    });
  }
  const cursors: GenerationCursor[] = [];
  for (const { spec, generation } of wanted) {
    // What stood still is tried again by whoever starts: its program may know better.
    const isFree = generation.stuck === null || isFirst || isOver(generation);
    if (!isFree) continue;
    if (generation.stuck !== null) await views.setStuck(generation.view, generation.generation, null);
    if (groups.follows(spec.name, generation.generation)) continue;
    const { live, checkpoint } = generation;
    const place = { generation: generation.generation, live, checkpoint, skipped: idsOf(skipped, spec.name) };
    cursors.push(cursorOf(spec, { ...place, isCareful: careful.delete(spec.name) }));
  }
  groups.follow(cursors);
}

/** Whether the engine came back as an older backup has it. */
function hasGoneBack(checkpoint: string | null, committed: string | null | undefined): boolean {
  return committed !== undefined && isBefore(checkpoint, committed);
}

function isBefore(checkpoint: string | null, place: string | null): boolean {
  return place !== null && (checkpoint === null || checkpoint < place);
}

async function promote(
  cursor: GenerationCursor,
  { store, views }: ProjectorParts,
  groups: SubscriptionGroups,
  progress: ViewProgress,
): Promise<void> {
  const { name } = cursor.projection;
  await views.makeReadable(name, cursor.generation);
  // That took a while. What came meanwhile is taken in first, and no more, or it might run after the log for ever.
  cursor.endedAt ??= await store.head();
  const live = (await views.status()).find((one) => one.view === name && one.live);
  // Readers must not see the view go back, nor a first one that is not whole.
  if (isBefore(cursor.checkpoint, live?.checkpoint ?? cursor.endedAt)) return;
  const isPromoted = await views.promote(name, cursor.generation);
  groups.unfollow(name, (one) => one !== cursor || !isPromoted);
  if (!isPromoted) return;
  cursor.live = true;
  if (cursor.checkpoint !== null) progress.moved(name, cursor.checkpoint);
}

/** Whether the generation has passed the event since, as when a newer program could take it. */
function isOver({ stuck, checkpoint }: GenerationStatus): boolean {
  return stuck !== null && checkpoint !== null && checkpoint >= stuck.position;
}

function idsOf(skipped: readonly SkippedEvent[], view: string): ReadonlySet<string> {
  return new Set(skipped.filter((one) => one.view === view).map((one) => one.eventId));
}
