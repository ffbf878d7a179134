/**
 * One queue for each stream: whatever waits while an append is under way is taken together as the next batch, so that
 * a hot stream costs one append for many commands and conflicts arise only between processes.
 */
import { OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';
import { Overloaded } from './command-call.ts';

/** More than this waiting for one stream is refused: a queue that long answers nobody in time. */
const MAX_WAITING = 2_000;
/** A batch stays well below what one append may hold. */
const MAX_BATCH = 256;

export interface StreamQueues<Entry> {
  /** @throws {Overloaded} */
  readonly add: (streamId: string, entry: Entry) => void;
  /** How many streams have entries waiting or under way. */
  readonly depth: () => number;
  /** Resolves when nothing waits and nothing is under way. */
  readonly idle: () => Promise<void>;
}

/** `work` answers every entry of its batch itself and never throws. */
export function createStreamQueues<Entry>(
  work: (streamId: string, batch: readonly [Entry, ...Entry[]]) => Promise<void>,
): StreamQueues<Entry> {
  const waiting = new Map<string, Entry[]>();
  let idlers: (() => void)[] = [];

  async function drain(streamId: string, queue: Entry[]): Promise<void> {
    for (;;) {
      const [first, ...others] = queue.splice(0, MAX_BATCH);
      if (first === undefined) break;
      await work(streamId, [first, ...others]);
    }
    waiting.delete(streamId);
    if (waiting.size > 0) return;
    for (const resolve of idlers) resolve();
    idlers = [];
  }

  return {
    add(streamId, entry) {
      const queue = waiting.get(streamId);
      if (queue !== undefined) {
        if (queue.length >= MAX_WAITING) throw new Overloaded(`too many commands wait for ${streamId}`);
        queue.push(entry);
        return;
      }
      const started = [entry];
      waiting.set(streamId, started);
      void drain(streamId, started);
    },
    depth: () => waiting.size,
    async idle() {
      // Who was answered last may have added again before we are awake.
      while (waiting.size > 0) await new Promise<void>((resolve) => idlers.push(resolve));
    },
  };
}

/** Whoever waits for an answer; with a moment by which it is wanted, told then that there is none, whatever still goes on. */
export interface Waited<Answer> {
  /** Whether it has been taken out of its queue: from then on it may have been done. */
  isBegun: boolean;
  /** Whether whoever asked has been told that there was no answer. What was not begun by then never is. */
  isGivenUp: boolean;
  readonly settle: (answer: Answer) => void;
  readonly fail: (error: unknown) => void;
}

/** @param untilMs by `performance.now()`; for ever when absent */
export function waited<Answer>(
  { settle, fail }: Pick<Waited<Answer>, 'settle' | 'fail'>,
  untilMs: number | undefined,
): Waited<Answer> {
  if (untilMs === undefined) return { isBegun: false, isGivenUp: false, settle, fail };
  const timer = setTimeout(() => {
    one.isGivenUp = true;
    fail(one.isBegun ? new OutcomeUnknown('no answer in time') : new StoreUnavailable('no turn in time'));
  }, untilMs - performance.now());
  const one: Waited<Answer> = {
    isBegun: false,
    isGivenUp: false,
    settle(answer) {
      clearTimeout(timer);
      settle(answer);
    },
    fail(error) {
      clearTimeout(timer);
      fail(error);
    },
  };
  return one;
}
