/** The only list of what can happen. Stored events are decoded through it: upcast to today's version, then parsed. */
import type { z } from 'zod';
import { accountEvents } from './account-events.ts';
import { alertEvents } from './alert-events.ts';
import { agencyEvents } from './agency-events.ts';
import { agentEvents } from './agent-events.ts';
import { bundleEvents } from './bundle-events.ts';
import { orderedJson } from './canonical-json.ts';
import { compiled } from './compiled-schema.ts';
import { dataSetEvents, sourceEvents } from './data-set-events.ts';
import type { EventDefinition, Fact, FactOf, RecordedEvent } from './event.ts';
import { jobEvents } from './job-events.ts';
import { keyEvents } from './key-events.ts';
import { keyringEvents } from './keyring-events.ts';
import { denialEvents, mandateEvents } from './mandate-events.ts';
import { logEvents } from './log-events.ts';
import { methodologyEvents } from './methodology-events.ts';
import { placeEvents } from './place-events.ts';
import { reactionEvents } from './reaction-events.ts';
import { recordEvents } from './record-events.ts';
import { isSealed } from './sealed-event.ts';
import { subscriptionEvents } from './subscription-events.ts';
import { upcast } from './upcasters.ts';
import { usageEvents } from './usage-events.ts';
import { webhookEvents } from './webhook-events.ts';

export const eventCatalog = [
  ...mandateEvents,
  ...denialEvents,
  ...alertEvents,
  ...keyEvents,
  ...keyringEvents,
  ...accountEvents,
  ...jobEvents,
  ...recordEvents,
  ...agentEvents,
  ...agencyEvents,
  ...bundleEvents,
  ...methodologyEvents,
  ...webhookEvents,
  ...placeEvents,
  ...subscriptionEvents,
  ...usageEvents,
  ...dataSetEvents,
  ...sourceEvents,
  ...logEvents,
  ...reactionEvents,
] as const;

export type DomainFact = FactOf<(typeof eventCatalog)[number]>;
export type EventType = DomainFact['type'];
export type DomainEvent = { [T in EventType]: RecordedEvent<Extract<DomainFact, { type: T }>> }[EventType];

const definitionsByType: ReadonlyMap<string, EventDefinition> = new Map(
  eventCatalog.map((definition): [string, EventDefinition] => [definition.type, definition]),
);

type DataByType = { readonly [T in EventType]: Extract<DomainFact, { type: T }>['data'] };

/** The example of an event type, as docs/events.md shows it. */
export function exampleOf<T extends EventType>(type: T): DataByType[T] {
  const definition = definitionsByType.get(type);
  if (definition === undefined) throw new Error(`${type} is not in the event catalogue`);
  // The definition was found by its type, and its example is of its own schema.
  return definition.example as DataByType[T];
}

/** Today's version of an event type, for sealing new facts. */
export function currentVersion(type: string): number {
  const definition = definitionsByType.get(type);
  if (definition === undefined) throw new Error(`${type} is not in the event catalogue`);
  return definition.version;
}

/**
 * The text of a new fact's data.
 * @throws {Error} they break its own schema: nobody could read it again, so it must not be written
 */
export function sealData({ type, data }: Fact): string {
  const definition = definitionsByType.get(type);
  const parsed = definition && compiled(definition.data).safeParse(data);
  if (parsed?.success === false) throw new Error(`${type} breaks its own schema: ${inWords(parsed.error)}`);
  return orderedJson(data);
}

/**
 * The event as today's code knows it.
 * @throws {UndecodableEvent} its type is unknown, it is newer than this program, or its data break the schema
 */
export function decodeEvent(recorded: RecordedEvent): DomainEvent {
  const definition = definitionsByType.get(recorded.type);
  if (definition === undefined) throw new UndecodableEvent(recorded, 'its type is not in the catalogue');
  if (recorded.version > definition.version) {
    throw new UndecodableEvent(recorded, `version ${recorded.version} is newer than this program knows`);
  }
  // What this process sealed kept to today's schema. The definition was found by the event's type, and its schema has
  // parsed the data: the pair is in the union.
  if (recorded.version === definition.version && isSealed(recorded)) return recorded as DomainEvent;
  const parsed = compiled(definition.data).safeParse(upcast(recorded, definition.version));
  if (!parsed.success) throw new UndecodableEvent(recorded, inWords(parsed.error));
  // As above.
  return { ...recorded, version: definition.version, data: parsed.data } as DomainEvent;
}

const MAX_FAULTS_TOLD = 3;

/** In one line, since it stands in lists and logs. */
function inWords({ issues }: z.ZodError): string {
  const faults = issues.map(({ path, message }) => `${path.join('.') || 'the data'}: ${message}`);
  const more = faults.length - MAX_FAULTS_TOLD;
  return [...faults.slice(0, MAX_FAULTS_TOLD), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

export class UndecodableEvent extends Error {
  override readonly name = 'UndecodableEvent';
  constructor(event: RecordedEvent, reason: string) {
    super(
      `event ${event.id} (${event.type} v${event.version}, ${event.streamId}@${event.revision}): ${reason}`,
    );
  }
}
