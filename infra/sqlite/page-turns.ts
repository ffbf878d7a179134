/**
 * Whose turn it is to have a page found elsewhere, one at a time. Those with a key and those without take turns, since
 * anybody may have many addresses, and so do askers among them. Each has so many waiting and no more, and what waits goes
 * with whoever asked, or when their time is over.
 */
import { type Asking, PageAbandoned, ViewsUnavailable } from '../../projections/view-store.ts';
import { createRotation } from '../../src/ports/rotation.ts';

/** More than a caller has under way who waits for answers. */
const MAX_WAITING_OF_ASKER = 500;

export interface PageTurns {
  /**
   * Resolves when it is the question's turn, with what ends that.
   * @throws {ViewsUnavailable} it had no turn within its time, or too many questions of this asker wait
   * @throws {PageAbandoned}
   */
  readonly enter: (asking?: Partial<Asking>) => Promise<() => void>;
}

interface Waiting {
  /** False where there is nobody any more to begin for. */
  readonly begin: () => boolean;
}

export function createPageTurns(): PageTurns {
  const [withKey, withoutKey] = [createRotation<Waiting>(), createRotation<Waiting>()];
  let turn = withKey;
  const counts = new Map<string, number>();
  let isTaken = false;

  function take(): Waiting | undefined {
    const [first, other] = turn === withKey ? [withKey, withoutKey] : [withoutKey, withKey];
    turn = other;
    return first.take() ?? other.take();
  }
  function leave(): void {
    isTaken = false;
    for (let next = take(); next !== undefined; next = take()) if (next.begin()) return;
  }

  return {
    enter(asking = {}) {
      const { asker = '', hasKey = true, untilMs = Infinity } = asking;
      if (!isTaken) {
        isTaken = true;
        return Promise.resolve(leave);
      }
      const count = counts.get(asker) ?? 0;
      if (count >= MAX_WAITING_OF_ASKER)
        return Promise.reject(new ViewsUnavailable(`${count} questions of one asker wait`));
      counts.set(asker, count + 1);
      return new Promise((resolve, reject) => {
        let isOver = false;
        const end = (): void => {
          isOver = true;
          clearTimeout(timer);
          const left = (counts.get(asker) ?? 1) - 1;
          if (left > 0) counts.set(asker, left);
          else counts.delete(asker);
        };
        const giveUp = (): void => {
          end();
          reject(new ViewsUnavailable('a question had no turn within its time'));
        };
        const timer = untilMs === Infinity ? undefined : setTimeout(giveUp, untilMs - performance.now());
        const begin = (): boolean => {
          if (isOver) return false;
          // Asked for now and not before: to watch whether a caller goes costs something for each.
          if (asking.signal?.aborted === true) {
            end();
            reject(new PageAbandoned());
          } else if (performance.now() >= untilMs) giveUp();
          else {
            end();
            isTaken = true;
            resolve(leave);
            return true;
          }
          return false;
        };
        (hasKey ? withKey : withoutKey).put(asker, { begin });
      });
    },
  };
}
