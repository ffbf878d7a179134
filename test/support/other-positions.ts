/** A log whose positions have another form, as those of another engine have. */
import type { AppendResult, EventStore } from '../../events/event-store.ts';
import type { RecordedEvent } from '../../events/event.ts';

const MARK = 'elsewhere-';

/** The same log, with another text for each of its positions. */
export function withOtherPositions(store: EventStore): EventStore {
  const renamed = (event: RecordedEvent): RecordedEvent => ({ ...event, position: MARK + event.position });
  return {
    async append(...append): Promise<AppendResult> {
      const result = await store.append(...append);
      return result.ok ? { ...result, position: MARK + result.position } : result;
    },
    async *read(...asked) {
      for await (const event of store.read(...asked)) yield renamed(event);
    },
    async *subscribe({ after, ...options }) {
      const from = after === null ? null : unmarked(after);
      for await (const page of store.subscribe({ ...options, after: from }))
        yield { ...page, events: page.events.map(renamed), position: MARK + page.position };
    },
    async head() {
      const head = await store.head();
      return head === null ? null : MARK + head;
    },
    knows: (position) => position.startsWith(MARK) && store.knows(position.slice(MARK.length)),
    marks: {
      ...store.marks,
      async at(position) {
        const mark = await store.marks.at(unmarked(position));
        return mark === null ? null : { ...mark, position: MARK + mark.position };
      },
      eventIdAt: (position) => store.marks.eventIdAt(unmarked(position)),
      countBetween: () => null,
    },
    close: () => store.close(),
  };
}

function unmarked(position: string): string {
  if (!position.startsWith(MARK)) throw new RangeError(`${position} is not a position of this log`);
  return position.slice(MARK.length);
}
