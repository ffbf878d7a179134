/** What every EventStore promises. An adapter's test file hands in how to open one. */
import type { EventStore } from '../../events/event-store.ts';
import { appendsAllOrNothing } from './event-store.appends.ts';
import { knowsItself } from './event-store.marks.ts';
import { behavesLikeTheModel } from './event-store.model.ts';
import { readsEitherWay } from './event-store.reads.ts';
import { commitsDependents } from './event-store.dependents.ts';
import { followsTheLog } from './event-store.subscriptions.ts';

export interface EventStoreEngine {
  /** Opens a store on the engine. */
  readonly connect: () => Promise<EventStore>;
  readonly dispose: () => Promise<void>;
}

/** What engines may differ in. */
export interface EventStoreTraits {
  /** Whether they commit several streams at once. */
  readonly commitsDependents: boolean;
}

/** Other tests' events may be in the log, also while a test runs; each looks at its own streams only. */
export function eventStoreContract(
  name: string,
  traits: EventStoreTraits,
  start: () => Promise<EventStoreEngine>,
): void {
  describe(`EventStore: ${name}`, () => {
    let engine: EventStoreEngine;
    let store: EventStore;

    before(async () => {
      engine = await start();
      store = await engine.connect();
    });

    after(async () => {
      await store.close();
      await engine.dispose();
    });

    appendsAllOrNothing(() => store);
    readsEitherWay(() => store);
    followsTheLog(
      () => store,
      () => engine.connect(),
    );
    knowsItself(() => store);
    behavesLikeTheModel(() => store);
    if (traits.commitsDependents) commitsDependents(() => store);
  });
}
