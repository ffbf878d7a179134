/** Whoever asks with a moment by which an answer is wanted is told then that there is none, whatever still goes on. */
import { OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';

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
