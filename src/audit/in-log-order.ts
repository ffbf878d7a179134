/** Several streams as one, in the order in which their events were committed. One event of each is held at a time. */
import type { RecordedEvent } from '../../events/event.ts';

export async function* inLogOrder(
  streams: readonly AsyncIterable<RecordedEvent>[],
): AsyncIterable<RecordedEvent> {
  const reading = streams.map((stream) => stream[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(reading.map((one) => one.next()));
    for (;;) {
      let first: { readonly at: number; readonly event: RecordedEvent } | null = null;
      for (const [at, { done, value }] of heads.entries())
        if (done !== true && (first === null || value.position < first.event.position))
          first = { at, event: value };
      if (first === null) return;
      yield first.event;
      const next = await reading[first.at]?.next();
      if (next !== undefined) heads[first.at] = next;
    }
  } finally {
    for (const one of reading) await one.return?.();
  }
}
