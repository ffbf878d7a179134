/**
 * Follows the log and lets facts lead to commands. At least once: the checkpoint moves after the reaction, and the
 * commands that a reaction runs have ids of their cause, so that in effect each happens once. Reactors and projectors
 * are apart: rebuilding a view never repeats an effect. An event that a reaction cannot take stops that reaction alone,
 * until it passes or a person skips it.
 */
import { setMaxListeners } from 'node:events';
import { type DomainEvent, decodeEvent, type EventType } from '../../events/catalog.ts';
import type { Checkpoints } from '../../events/checkpoints.ts';
import type { RecordedEvent } from '../../events/event.ts';
import {
  type EventStore,
  LogContradiction,
  NotPermitted,
  StoreUnavailable,
} from '../../events/event-store.ts';
import { fullJitter } from '../commanding/append-with-retry.ts';
import { lazyCheckpoint } from '../following/lazy-checkpoint.ts';
import { rest } from '../timing/rest.ts';

export interface Reaction {
  /** `when-x-then-y`; its checkpoint is kept under this name, so it never changes. */
  readonly name: string;
  readonly types: readonly EventType[];
  /** So long an event is left to the request that made it, which mostly brings about the effect itself. */
  readonly leaveMs?: number;
  /** What it brings about is in the queue: one that was set back is given it once more. */
  readonly fillsQueue?: true;
  /** Resolves once the effect stands; thrown errors are tried again for ever. */
  readonly react: (event: DomainEvent) => Promise<void>;
}

export interface ReactionStatus {
  readonly name: string;
  readonly checkpoint: string | null;
  /** What keeps it from going on, and since when. */
  readonly failing: Failing | null;
}

interface Failing {
  readonly error: string;
  /** Who lacks which right at the log, where that is why. */
  readonly missingRight: string | null;
  readonly since: string;
  /** The event that it cannot take; null where the log or its checkpoint is what fails. */
  readonly event: Pick<RecordedEvent, 'id' | 'position'> | null;
}

export interface Reactor {
  readonly status: () => readonly ReactionStatus[];
  /** Resolves when each reaction has finished what it was doing. */
  readonly stop: () => Promise<void>;
}

/** Events of one page are reacted to side by side: they concern different streams, or their commands queue there. */
const PAGE_SIZE = 64;
/** At the end of the log it rests for so long, and takes in together what was appended meanwhile. */
const REST_MS = 20;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 10_000;

export interface ReactorParts {
  readonly events: EventStore;
  readonly checkpoints: Checkpoints;
  readonly reactions: readonly Reaction[];
  /** Whether a person decided that the reaction goes on without this event; asked only of one that it failed at. */
  readonly isSkipped: (reaction: string, eventId: string) => Promise<boolean>;
  /** Told of each try that failed, and of the event that it failed at, if it was one. */
  readonly onError: (reaction: string, error: unknown, eventId: string | null) => void;
}

export function startReactor(parts: ReactorParts): Reactor {
  const stopping = new AbortController();
  // Each reaction listens in its subscription and in its pause.
  setMaxListeners(2 * parts.reactions.length, stopping.signal);
  const followers = parts.reactions.map((reaction) => follow(reaction, parts, stopping.signal));
  return {
    status: () => followers.map(({ status }) => status()),
    async stop() {
      stopping.abort();
      await Promise.all(followers.map(({ finished }) => finished));
    },
  };
}

interface Follower {
  readonly status: () => ReactionStatus;
  readonly finished: Promise<void>;
}

/** The reaction could not take this event. */
class NotTaken extends Error {
  readonly event: RecordedEvent;
  constructor(event: RecordedEvent, cause: unknown) {
    super(`${event.id} was not taken`, { cause });
    this.event = event;
  }
}

function follow(reaction: Reaction, parts: ReactorParts, signal: AbortSignal): Follower {
  const { events, checkpoints, isSkipped, onError } = parts;
  const { name, types, leaveMs = 0 } = reaction;
  let checkpoint: string | null = null;
  let failing: Failing | null = null;
  /** It goes on, but its place is not kept. */
  let unkept: Failing | null = null;
  const kept = lazyCheckpoint(
    async (position) => {
      await checkpoints.set(name, position);
      unkept = null;
    },
    (error) => {
      unkept = failure(error, null, unkept);
      onError(name, error, null);
    },
  );

  async function take(event: RecordedEvent): Promise<void> {
    try {
      if (failing?.event?.id === event.id && (await isSkipped(name, event.id))) return;
      await reaction.react(decodeEvent(event));
    } catch (error) {
      throw new NotTaken(event, error);
    }
  }

  /** Resolves when it is to be followed by a reader with larger pages. */
  async function run(): Promise<void> {
    // What was done before a failure is not to be done again.
    await kept.keep();
    const found = await checkpoints.get(name);
    // To begin again at the log's first event would repeat years of reactions.
    if (found === null && checkpoint !== null)
      throw new LogContradiction(`the checkpoint of ${name} was kept, and is not there`);
    checkpoint = found;
    // One by one up to the event that it failed at: those before it are done once, and it is the next of the checkpoint.
    const isCareful = (failing?.event ?? null) !== null;
    const pageSize = isCareful ? 1 : PAGE_SIZE;
    for await (const page of events.subscribe({ after: checkpoint, types, pageSize, signal })) {
      const youngMs = msUntilOld(page.events.at(-1)?.at, leaveMs);
      if (youngMs > 0) await rest(youngMs, signal);
      if (signal.aborted) return;
      await allTaken(page.events.map(take));
      checkpoint = page.position;
      if (isPast(page.position, failing)) failing = null;
      await kept.moved(page.position, page.events.length);
      if (isCareful && failing === null) return;
      if (page.caughtUp) await rest(REST_MS, signal);
    }
    if (!signal.aborted) throw new StoreUnavailable('the log was closed');
  }

  async function runForEver(): Promise<void> {
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        await run();
      } catch (thrown) {
        // What stopping has cut short is taken up by whoever reacts next.
        if (signal.aborted) break;
        const event = thrown instanceof NotTaken ? thrown.event : null;
        const error = thrown instanceof NotTaken ? thrown.cause : thrown;
        if (failing === null) attempt = 1;
        failing = failure(error, event, failing);
        onError(name, error, event?.id ?? null);
        await rest(Math.min(MAX_PAUSE_MS, fullJitter(attempt, FIRST_PAUSE_MS)), signal);
      }
    }
    await kept.keep().catch((error: unknown) => onError(name, error, null));
    kept.close();
  }

  return { status: () => ({ name, checkpoint, failing: failing ?? unkept }), finished: runForEver() };
}

function failure(error: unknown, event: Failing['event'], before: Failing | null): Failing {
  return {
    error: String(error),
    missingRight: error instanceof NotPermitted ? error.message : null,
    since: before?.since ?? new Date().toISOString(),
    event,
  };
}

/** Waits for all, so that none still runs when they are tried again. @throws what the first in the log failed with */
async function allTaken(takings: readonly Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(takings))
    if (outcome.status === 'rejected') throw outcome.reason;
}

/** Whether what failed is over: where it was no event, a page that was taken shows it. */
function isPast(position: string, failing: Failing | null): boolean {
  return failing !== null && (failing.event === null || position >= failing.event.position);
}

/** Never more than `leaveMs`, whatever the clock said that gave the event its time. */
function msUntilOld(at: string | undefined, leaveMs: number): number {
  return at === undefined ? 0 : Math.min(leaveMs, Date.parse(at) + leaveMs - Date.now());
}
