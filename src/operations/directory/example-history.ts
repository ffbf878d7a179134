/** A history made by deciders alone, without a log: for examples and tests. */
import type { Decider } from '../../../commands/decider.ts';
import { currentVersion, decodeEvent, type DomainEvent } from '../../../events/catalog.ts';
import type { Fact, PlacedEvent } from '../../../events/event.ts';
import { idFrom } from '../../../events/ids.ts';

/** The events of one stream, as its decider answers these commands one after another. */
export function streamOf<State, Command, F extends Fact, Rejection>(
  decider: Decider<State, Command, F, Rejection>,
  id: string,
  ...commands: readonly (readonly [at: string, command: Command])[]
): readonly PlacedEvent[] {
  const streamId = `${decider.family}-${id}`;
  const events: PlacedEvent[] = [];
  let state = decider.initial;
  for (const [at, command] of commands) {
    const decision = decider.decide(command, state, at);
    if (!decision.ok) throw new Error(`${streamId} refuses: ${JSON.stringify(decision.rejection)}`);
    for (const { type, data } of decision.facts) {
      const revision = events.length;
      const event = {
        id: idFrom('event', at, `${streamId} ${revision}`),
        type,
        version: currentVersion(type),
        at,
        data,
        meta: { actor: 'story', requestId: 'story', commandId: `${streamId} ${revision}` },
        streamId,
        revision,
      };
      events.push(event);
      // A state depends on the fact and its time; the fact is the decider's own.
      state = decider.evolve(state, { type, data, at } as unknown as Parameters<typeof decider.evolve>[1]);
    }
  }
  return events;
}

/** The streams one after another, as a log gives them back. */
export function inLogOrder(...streams: readonly (readonly PlacedEvent[])[]): readonly DomainEvent[] {
  return streams
    .flat()
    .map((event, index) => decodeEvent({ ...event, position: String(index + 1).padStart(16, '0') }));
}
