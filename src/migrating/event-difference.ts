/** When two logs hold the same event, and how to say that they do not. */
import { orderedJson } from '../../events/canonical-json.ts';
import type { PlacedEvent, RecordedEvent } from '../../events/event.ts';

/** Where two logs part. */
export interface Difference {
  /** Which event of the log it is, from 1. */
  readonly event: number;
  /** Undefined: the log has ended. */
  readonly source: RecordedEvent | undefined;
  readonly target: RecordedEvent | undefined;
}

/** The event as one text for every log: the JSON that RFC 8785 describes, without the position, which belongs to one store. */
export function canonicalEvent({ position: _position, ...placed }: RecordedEvent): string {
  return orderedJson(placed);
}

/** One line that names both events and, where they claim to be the same, in what they differ. */
export function describeDifference({ event, source, target }: Difference): string {
  const fields = source?.id === target?.id ? differingFields(source, target) : [];
  const inWhat = fields.length === 0 ? '' : `, with another ${fields.join(' and ')}`;
  return `event ${event} of the source is ${nameOf(source)}, that of the target ${nameOf(target)}${inWhat}`;
}

function nameOf(event: RecordedEvent | undefined): string {
  return event === undefined ? 'missing' : `${event.id} (${event.type}, ${event.streamId}@${event.revision})`;
}

const FIELDS = [
  'type',
  'version',
  'streamId',
  'revision',
  'at',
  'data',
  'meta',
] as const satisfies (keyof PlacedEvent)[];

function differingFields(source: PlacedEvent | undefined, target: PlacedEvent | undefined): string[] {
  if (source === undefined || target === undefined) return [];
  return FIELDS.filter((field) => orderedJson(source[field]) !== orderedJson(target[field]));
}
