/** Makes events of facts: with identity, time, cause, place, and in a chained stream the hash of the predecessor. */
import { currentVersion } from '../../events/catalog.ts';
import type { EventMeta, Fact, PlacedEvent } from '../../events/event.ts';
import { eventHash } from '../../events/hash-chain.ts';
import { idFrom } from '../../events/ids.ts';
import type { CommandCall } from './command-call.ts';

export interface SealingPlace {
  readonly streamId: string;
  /** The revision that the first fact will follow. */
  readonly revision: number;
  readonly at: string;
  /** The hash of the event before; null where the stream is no chain. */
  readonly headHash: string | null;
}

export interface Sealed<F extends Fact> {
  readonly events: readonly PlacedEvent<F>[];
  readonly headHash: string | null;
}

/** The ids follow from stream, command and place, so that the same command can never mint two identities. */
export function sealFacts<F extends Fact>(
  facts: readonly F[],
  call: CommandCall,
  place: SealingPlace,
): Sealed<F> {
  const { streamId, at } = place;
  const events: PlacedEvent<F>[] = [];
  let { headHash } = place;
  for (const [index, fact] of facts.entries()) {
    const event: PlacedEvent<F> = {
      id: idFrom('event', at, `${streamId} ${call.commandId} ${index}`),
      type: fact.type,
      version: currentVersion(fact.type),
      streamId,
      revision: place.revision + 1 + index,
      at,
      data: fact.data,
      meta: metaOf(call, headHash),
    };
    if (headHash !== null) headHash = eventHash(event);
    events.push(event);
  }
  return { events, headHash };
}

function metaOf(call: CommandCall, prev: string | null): EventMeta {
  const { actor, requestId, commandId, requestHash, causationId, correlationId } = call;
  return {
    actor,
    requestId,
    commandId,
    ...(requestHash === undefined ? {} : { requestHash }),
    ...(causationId === undefined ? {} : { causationId }),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(prev === null ? {} : { prev }),
  };
}
