/**
 * Reads a whole log and says what does not hold: what its engine knows of its own files, every event by the catalogue
 * and by its id, the order of each stream, the chains of mandates, and whether anybody who follows the log is ahead of it. In pages,
 * each a read of its own, so that it can run beside a server.
 */
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import { decodeEvent, UndecodableEvent } from '../../events/catalog.ts';
import type { RecordedEvent } from '../../events/event.ts';
import { type EventPage, type EventStore, StoreDamaged } from '../../events/event-store.ts';
import { eventHashOrNull, GENESIS, keepsItsId } from '../../events/hash-chain.ts';
import type { InspectLog, LogFinding } from '../ports/log-inspection.ts';
import { compareFollowers, type LogFollower } from './compare-followers.ts';

export interface LogCheckParts {
  readonly events: EventStore;
  readonly inspect?: InspectLog | undefined;
  /** Asked at the end, before the log is asked once more where it ends. */
  readonly followers: () => Promise<readonly LogFollower[]>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: {
    readonly phase: string;
    readonly done: number;
    readonly total: number | null;
  }) => void;
}

export interface LogCheck {
  readonly events: number;
  readonly head: string | null;
  readonly mandates: number;
  readonly followers: number;
  readonly findings: readonly LogFinding[];
  /** Beyond those that are listed. */
  readonly moreFindings: number;
  readonly isInterrupted: boolean;
}

const MAX_FINDINGS = 100;

export async function checkLog(parts: LogCheckParts): Promise<LogCheck> {
  const { events, inspect, followers, signal, onProgress } = parts;
  const found = findingList();
  const head = await events.head();
  if (inspect !== undefined) {
    for await (const { findings, ...progress } of inspect()) {
      findings.forEach(found.add);
      onProgress(progress);
      if (signal.aborted) break;
    }
  }
  const streams = streamChecks(inspect === undefined, found.add);
  const count = await readEvents(parts, head, streams.take, found.add);
  const following = signal.aborted ? [] : await followers();
  for (const { follower, problem } of await compareFollowers(events, following))
    found.add({ place: follower.name, problem, isUnreadable: false });
  return {
    events: count,
    head,
    mandates: streams.mandates(),
    followers: following.length,
    findings: found.list,
    moreFindings: found.more(),
    isInterrupted: signal.aborted,
  };
}

type Add = (finding: LogFinding) => void;

function findingList(): { readonly list: LogFinding[]; readonly add: Add; readonly more: () => number } {
  const list: LogFinding[] = [];
  let more = 0;
  return {
    list,
    add(finding) {
      if (list.length < MAX_FINDINGS) list.push(finding);
      else more += 1;
    },
    more: () => more,
  };
}

/** Every event up to `head`; an event that cannot be read is told and passed over. */
async function readEvents(
  { events, signal, onProgress }: LogCheckParts,
  head: string | null,
  take: (event: RecordedEvent) => void,
  add: Add,
): Promise<number> {
  let count = 0;
  let reached = '';
  // One by one beside an event that cannot be read, so that its neighbours are looked at all the same.
  let isCareful = false;
  while (head !== null && !signal.aborted && reached < head) {
    try {
      for await (const page of pagesAfter(events, reached, isCareful, signal)) {
        page.events.forEach(take);
        count += page.events.length;
        reached = page.position;
        onProgress({ phase: 'events', done: count, total: null });
        if (reached >= head) break;
      }
    } catch (error) {
      if (!(error instanceof StoreDamaged)) throw error;
      const { position } = error;
      if (position === null || isCareful)
        add(unreadable(position ?? `after ${reached || 'the beginning'}`, error));
      if (position === null) break;
      if (isCareful) reached = position;
      isCareful = !isCareful;
    }
  }
  return count;
}

function pagesAfter(
  events: EventStore,
  reached: string,
  isCareful: boolean,
  signal: AbortSignal,
): AsyncIterable<EventPage> {
  const after = reached === '' ? null : reached;
  return events.subscribe({ after, signal, ...(isCareful && { pageSize: 1 }) });
}

/** @param isGapless whether gaps within streams are to be looked for too: one number is kept for each stream */
function streamChecks(isGapless: boolean, add: Add) {
  const revisions = new Map<string, number>();
  const heads = new Map<string, string>();
  return {
    mandates: () => heads.size,
    take: (event: RecordedEvent): void => {
      const { streamId, revision, position, id } = event;
      const place = `${position} (${streamId}@${revision}, ${id})`;
      const problem = (text: string): void => add({ place, problem: text, isUnreadable: false });
      const decoded = undecodable(event);
      if (decoded !== null) add({ place, problem: decoded, isUnreadable: true });
      if (!keepsItsId(event))
        problem('its id is not that of what it says: it was changed since it was written');
      if (isGapless) {
        const expected = (revisions.get(streamId) ?? -1) + 1;
        if (revision !== expected) problem(`revision ${expected} was expected here`);
        revisions.set(streamId, revision);
      }
      if (!streamId.startsWith(`${mandateDecider.family}-`)) return;
      if (event.meta.prev !== (heads.get(streamId) ?? GENESIS))
        problem('its predecessor is not the one it was written after: the chain of the mandate is broken');
      // Without a hash the next link shows it.
      heads.set(streamId, eventHashOrNull(event) ?? '');
    },
  };
}

function undecodable(event: RecordedEvent): string | null {
  try {
    decodeEvent(event);
    return null;
  } catch (error) {
    if (error instanceof UndecodableEvent) return error.message;
    throw error;
  }
}

function unreadable(place: string, error: StoreDamaged): LogFinding {
  return { place, problem: error.message, isUnreadable: true };
}
