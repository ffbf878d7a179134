/** The events without which a reaction goes on, as operators decided one by one. */
import type { ReactionFact } from '../../events/reaction-events.ts';
import { accept, type Decider } from '../decider.ts';

export interface SkipReactionEvent {
  readonly type: 'SkipReactionEvent';
  readonly skip: ReactionFact['data'];
}

/** The ids of the events. A person names each of them, so they are few. */
export type SkippedEvents = ReadonlySet<string>;

export const reactionDecider: Decider<SkippedEvents, SkipReactionEvent, ReactionFact, never> = {
  family: 'reaction',
  initial: new Set(),
  evolve: (skipped, { data }) => new Set([...skipped, data.eventId]),
  decide: ({ skip }, skipped) =>
    skipped.has(skip.eventId) ? accept() : accept({ type: 'ReactionEventSkipped', data: skip }),
};
