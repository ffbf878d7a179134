/** What a projector is made of. */
import type { RecordedEvent } from '../../events/event.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { Projection } from '../../projections/projection.ts';
import type { ViewStore } from '../../projections/view-store.ts';

export interface ProjectorParts<Event extends RecordedEvent = RecordedEvent> {
  readonly store: EventStore;
  readonly views: ViewStore;
  readonly projections: readonly Projection<unknown, Event>[];
  /** @throws what then stops each view that handles this type of event */
  readonly decode: (recorded: RecordedEvent) => Event;
  /** Unix milliseconds, for what is told of the time; views take no time but that of the events. */
  readonly now: () => number;
  /** Told of each failed try, and of each view that comes to stand still. */
  readonly onError: (projectorError: ProjectorError) => void;
  /** The most events taken in at once (default 500). */
  readonly pageSize?: number;
  /** How long whoever waits for the views bears with failures (default 10 s). */
  readonly patienceMs?: number;
  /** A view that is behind commits when about so many documents have changed (default 1,000; alone 7,000). */
  readonly batchDocuments?: number;
}

export interface ProjectorError {
  /** Null when all views are concerned, as when a store is away. */
  readonly view: string | null;
  readonly error: unknown;
  readonly at: string;
}
