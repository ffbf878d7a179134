/**
 * Follows the log and lets facts lead to commands. At least once: the checkpoint moves after the reaction, and the
 * commands that a reaction runs have ids of their cause, so that in effect each happens once. Reactors and projectors
 * are apart: rebuilding a view never repeats an effect.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type DomainEvent, decodeEvent, type EventType } from '../../events/catalog.ts';
import type { Checkpoints } from '../../events/checkpoints.ts';
import { type EventStore, LogContradiction, StoreUnavailable } from '../../events/event-store.ts';
import { fullJitter } from './append-surely.ts';
import { lazyCheckpoint } from './lazy-checkpoint.ts';

export interface Reaction {
  /** `when-x-then-y`; its checkpoint is kept under this name, so it never changes. */
  readonly name: string;
  readonly types: readonly EventType[];
  /** So long an event is left to the request that made it, which mostly brings about the effect itself. */
  readonly leaveMs?: number;
  /** Resolves once the effect stands; thrown errors are tried again for ever. */
  readonly react: (event: DomainEvent) => Promise<void>;
}

export interface ReactionStatus {
  readonly name: string;
  readonly checkpoint: string | null;
  /** What keeps it from going on, and since when. */
  readonly failing: { readonly error: string; readonly since: string } | null;
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
  /** Told of each try that failed. */
  readonly onError: (reaction: string, error: unknown) => void;
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

function follow(reaction: Reaction, parts: ReactorParts, signal: AbortSignal): Follower {
  const { events, checkpoints, onError } = parts;
  const { name, types, leaveMs = 0 } = reaction;
  let checkpoint: string | null = null;
  const kept = lazyCheckpoint(
    (position) => checkpoints.set(name, position),
    (error) => onError(name, error),
  );
  let failing: ReactionStatus['failing'] = null;

  async function run(): Promise<void> {
    // What was done before a failure is not to be done again.
    await kept.keep();
    const found = await checkpoints.get(name);
    // To begin again at the log's first event would repeat years of reactions.
    if (found === null && checkpoint !== null)
      throw new LogContradiction(`the checkpoint of ${name} was kept, and is not there`);
    checkpoint = found;
    for await (const page of events.subscribe({ after: checkpoint, types, pageSize: PAGE_SIZE, signal })) {
      await rest(msUntilOld(page.events.at(-1)?.at, leaveMs), signal);
      if (signal.aborted) return;
      await Promise.all(page.events.map((event) => reaction.react(decodeEvent(event))));
      checkpoint = page.position;
      failing = null;
      await kept.moved(page.position, page.events.length);
      if (page.caughtUp) await rest(REST_MS, signal);
    }
    if (!signal.aborted) throw new StoreUnavailable('the log was closed');
  }

  async function runForEver(): Promise<void> {
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        await run();
      } catch (error) {
        // What stopping has cut short is taken up by whoever reacts next.
        if (signal.aborted) break;
        if (failing === null) attempt = 1;
        failing = { error: String(error), since: failing?.since ?? new Date().toISOString() };
        onError(name, error);
        await rest(Math.min(MAX_PAUSE_MS, fullJitter(attempt, FIRST_PAUSE_MS)), signal);
      }
    }
    await kept.keep().catch((error: unknown) => onError(name, error));
    kept.close();
  }

  return { status: () => ({ name, checkpoint, failing }), finished: runForEver() };
}

/** Never more than `leaveMs`, whatever the clock said that gave the event its time. */
function msUntilOld(at: string | undefined, leaveMs: number): number {
  return at === undefined ? 0 : Math.min(leaveMs, Date.parse(at) + leaveMs - Date.now());
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return;
  // The only way in which a pause ends early is that the reactor stops.
  await pause(ms, undefined, { signal }).catch(() => {});
}
