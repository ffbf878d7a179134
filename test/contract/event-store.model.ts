/** Random histories: whatever is appended, the store answers and gives back as a plain array of streams would. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { NewEvent } from '../../events/event.ts';
import type { EventStore } from '../../events/event-store.ts';
import { newEvents, newStream } from '../support/new-event.ts';

/** One step: an append beside or at the head, or one of the earlier appends again; then a read. */
const step = fc.record({
  stream: fc.nat(2),
  expectedFromHead: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -4, max: 2 }) },
  ),
  events: fc.integer({ min: 1, max: 4 }),
  repeat: fc.option(fc.nat(), { freq: 3 }),
  keep: fc.integer({ min: 1, max: 4 }),
  from: fc.option(fc.integer({ min: 0, max: 20 })),
  direction: fc.constantFrom('forwards', 'backwards'),
});

interface Request {
  readonly stream: number;
  readonly expected: number;
  readonly events: readonly NewEvent[];
}

export function behavesLikeTheModel(store: () => EventStore): void {
  it('answers any history of appends, repeats and reads like a plain array of streams', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
        const names = [newStream(), newStream(), newStream()];
        const streams: string[][] = [[], [], []];
        const earlier: Request[] = [];

        for (const taken of steps) {
          const request = requestOf(taken, streams, earlier);
          const ids = request.events.map(({ id }) => id);
          const model = streams[request.stream] ?? [];
          const name = names[request.stream] ?? '';
          const answer = await store().append(name, request.expected, request.events);
          const { position: _, ...comparable } = answer.ok ? answer : { ...answer, position: '' };
          expect(comparable).to.deep.equal(appendToModel(model, request.expected, ids));
          if (answer.ok) earlier.push(request);

          const { from, direction } = taken;
          const read: string[] = [];
          for await (const event of store().read(name, { direction, ...(from === null ? {} : { from }) })) {
            read.push(event.id);
          }
          expect(read).to.deep.equal(
            direction === 'forwards'
              ? model.slice(from ?? 0)
              : model.slice(0, (from ?? model.length) + 1).reverse(),
          );
        }
      }),
      { numRuns: 60 },
    );
  });
}

function requestOf(
  taken: { stream: number; expectedFromHead: number; events: number; repeat: number | null; keep: number },
  streams: readonly string[][],
  earlier: readonly Request[],
): Request {
  const again = taken.repeat === null ? undefined : earlier[taken.repeat % earlier.length];
  if (again !== undefined) return { ...again, events: again.events.slice(0, taken.keep) };
  const head = (streams[taken.stream]?.length ?? 0) - 1;
  return {
    stream: taken.stream,
    expected: Math.max(-1, head + taken.expectedFromHead),
    events: newEvents(taken.events),
  };
}

function appendToModel(stream: string[], expected: number, ids: readonly string[]): object {
  const head = stream.length - 1;
  const written = stream.slice(expected + 1, expected + 1 + ids.length);
  if (expected === head) stream.push(...ids);
  else if (expected > head || written.join() !== ids.join()) return { ok: false, actualRevision: head };
  return { ok: true, revision: expected + ids.length };
}
