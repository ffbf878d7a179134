/**
 * The log as a service uses it: compared with its followers when it is opened, and again whenever one of them reads on.
 * Once it is found to be another one, or shorter than what was seen of it, this process neither writes to it nor reads it
 * any more: what it remembers of the log may be of the other one too, so that a new start is needed.
 */
import { type EventPage, type EventStore, LogLost, StoreUnavailable } from '../../events/event-store.ts';
import type { RecordedEvent } from '../../events/event.ts';
import { compareFollowers, type LogDifference, type LogFollower } from './compare-followers.ts';

export interface GuardedLog {
  readonly events: EventStore;
  /** Compares now. It throws nothing: what was found is told by `lost`. @throws {StoreUnavailable} the log cannot be read */
  readonly verify: () => Promise<void>;
  /** What was found; null while all is well. */
  readonly lost: () => LogLost | null;
}

/** Many begin to read on at once, as at a start: they are answered by one look. */
const FRESH_MS = 1_000;
const ACCEPTED_MEANWHILE =
  'a loss of events was accepted while this process ran, which may remember what is gone. Nothing is written: start it again once `bourse log accept-loss` has ended';

export interface LogGuard {
  /** What they keep now; those that cannot be asked are left out, and compared when they read on. */
  readonly followers: () => Promise<readonly LogFollower[]>;
  /** Changes whenever a loss is accepted: a process that is running then may not have seen the loss. */
  readonly acceptance: () => Promise<string | null>;
  /** Told once. */
  readonly onLost: (lost: LogLost) => void;
}

export function guardedLog(events: EventStore, { followers, acceptance, onLost }: LogGuard): GuardedLog {
  let lost: LogLost | null = null;
  let atFirst: { readonly acceptance: string | null } | null = null;
  let looking: Promise<void> | null = null;
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  const look = async (): Promise<void> => {
    const differences = await compareFollowers(events, await followers());
    // After the followers, who agree again with a log whose loss was accepted.
    const now = await acceptance();
    atFirst ??= { acceptance: now };
    lookedAtMs = performance.now();
    if (lost !== null) return;
    if (differences.length > 0) lost = new LogLost(describeLoss(differences));
    else if (now !== atFirst.acceptance) lost = new LogLost(ACCEPTED_MEANWHILE);
    if (lost !== null) onLost(lost);
  };
  const verify = (): Promise<void> => {
    looking ??= look().finally(() => (looking = null));
    return looking;
  };
  const assertKept = (): void => {
    if (lost !== null) throw lost;
  };
  const guarding = (store: EventStore): EventStore => ({
    ...store,
    append(...append) {
      return lost === null ? store.append(...append) : Promise.reject(lost);
    },
    ...(store.appendAll && {
      appendAll: (...appends) =>
        lost === null
          ? (store.appendAll?.(...appends) ?? Promise.reject(new StoreUnavailable('no dependents')))
          : Promise.reject(lost),
    }),
    // What it says is not to be decided upon either: a refusal by such a log would be as wrong as a spend.
    read: (...asked) => (lost === null ? store.read(...asked) : refusedRead(lost)),
    async *subscribe(options): AsyncGenerator<EventPage, void> {
      if (options.after !== null && performance.now() - lookedAtMs >= FRESH_MS) await verify();
      assertKept();
      yield* store.subscribe(options);
    },
    async checkWritable() {
      assertKept();
      await store.checkWritable?.();
    },
    ...(store.within && {
      within: (untilMs) => guarding(store.within?.(untilMs) ?? store),
    }),
  });
  return { events: guarding(events), verify, lost: () => lost };
}

function refusedRead(lost: LogLost): AsyncIterable<RecordedEvent> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(lost) }) };
}

/** One line: what was found, and what can be done. */
export function describeLoss(differences: readonly LogDifference[]): string {
  const [first, ...more] = differences.toSorted((a, b) => rank(b) - rank(a));
  if (first === undefined) return 'nothing is lost';
  const others = more.length === 0 ? '' : `, and ${more.length} more do not agree with it either`;
  return `${first.follower.name} ${first.problem}${others}. Nothing is written: put the right log back and start again, or accept the loss with \`bourse log accept-loss --reason TEXT\``;
}

/** Who has seen most tells most. */
function rank({ follower: { mark, position } }: LogDifference): number {
  const time = mark === null ? 0 : Date.parse(mark.at);
  return time > 0 ? time : Number(position !== null);
}
