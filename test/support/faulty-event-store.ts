/** A log that fails when it is told to: before or after it wrote, by silence, or because somebody else wrote first. */
import { type Append, type EventStore, OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';

export type Fault =
  /** StoreUnavailable: nothing was written. */
  | 'refuse'
  /** OutcomeUnknown, and nothing was written. */
  | 'lose'
  /** OutcomeUnknown, though it was written. */
  | 'write silently'
  /** Written and answered only once it is let go. */
  | 'hang';

export interface FaultyEventStore extends EventStore {
  /** Every append that was asked for, whatever became of it. */
  readonly appends: readonly Append[];
  /** What goes wrong with the next appends, one after another; undefined lets one pass. */
  readonly plan: (...faults: (Fault | undefined)[]) => void;
  /** Ends every hang, those to come included. */
  readonly letGo: () => void;
  /** Run before each append that reaches the log, for instance to write something there first. */
  beforeAppend: (append: Append) => Promise<void>;
}

/** @param traits whether it commits several streams at once, as `store` does; else one after another, as some do */
export function faultyEventStore(store: EventStore, traits = { commitsDependents: false }): FaultyEventStore {
  const planned: (Fault | undefined)[] = [];
  const appends: Append[] = [];
  const together = traits.commitsDependents ? store.appendAll?.bind(store) : undefined;
  const hanging = new Set<() => void>();

  async function failing<Result>(append: Append, work: () => Promise<Result>): Promise<Result> {
    appends.push(append);
    const fault = planned.shift();
    if (fault === 'refuse') throw new StoreUnavailable('the disk is full');
    if (fault === 'lose') throw new OutcomeUnknown('no answer');
    if (fault === 'hang') await new Promise<void>((resolve) => hanging.add(resolve));
    await faulty.beforeAppend(append);
    const result = await work();
    if (fault === 'write silently') throw new OutcomeUnknown('no answer');
    return result;
  }

  const faulty: FaultyEventStore = {
    appends,
    plan: (...faults) => planned.push(...faults),
    letGo() {
      planned.forEach((fault, index) => (planned[index] = fault === 'hang' ? undefined : fault));
      for (const resolve of hanging) resolve();
      hanging.clear();
    },
    beforeAppend: async () => {},
    append: (streamId, expectedRevision, events) =>
      failing({ streamId, expectedRevision, events }, () => store.append(streamId, expectedRevision, events)),
    ...(together === undefined
      ? {}
      : {
          appendAll: (first: Append, dependents: readonly Append[]) =>
            failing(first, () => together(first, dependents)),
        }),
    read: (streamId, options) => store.read(streamId, options),
    subscribe: (options) => store.subscribe(options),
    head: () => store.head(),
    knows: (position) => store.knows(position),
    marks: store.marks,
    close: () => store.close(),
  };
  return faulty;
}
