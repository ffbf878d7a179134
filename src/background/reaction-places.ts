/** Where reactions stand, for whoever does not run them: by what is kept with the log alone. */
import { reactionDecider } from '../../commands/reaction/reaction.ts';
import type { Checkpoints } from '../../events/checkpoints.ts';
import type { RecordedEvent } from '../../events/event.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { CommandRunner } from '../commanding/command-runner.ts';
import type { Reaction, ReactorParts } from './reactor.ts';

export interface ReactionPlace {
  readonly name: string;
  /** As it was kept last: that of one that is at work may be further. */
  readonly checkpoint: string | null;
  /** The event that it takes next; null when it has taken all that the log has. One that is stuck is stuck at it. */
  readonly next: RecordedEvent | null;
}

/** @throws {StoreUnavailable} */
export async function reactionPlace(
  { name, types }: Pick<Reaction, 'name' | 'types'>,
  { events, checkpoints }: { readonly events: EventStore; readonly checkpoints: Checkpoints },
): Promise<ReactionPlace> {
  const checkpoint = await checkpoints.get(name);
  const reading = new AbortController();
  const pages = events.subscribe({ after: checkpoint, types, pageSize: 1, signal: reading.signal });
  for await (const page of pages) {
    const [next] = page.events;
    if (next !== undefined) return { name, checkpoint, next };
    if (page.caughtUp) break;
  }
  return { name, checkpoint, next: null };
}

/** Asks the log, where any process may have written the decision. */
export function skipsOf(commands: Pick<CommandRunner, 'load'>): ReactorParts['isSkipped'] {
  return async (reaction, eventId) => {
    const { state } = await commands.load(reactionDecider, reaction, new Date().toISOString());
    return state.has(eventId);
  };
}
