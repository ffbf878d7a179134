/** Which events of `$all` a filter lets through. Source: EventStore.Core/Services/Storage/ReaderIndex/EventFilter.cs. */
import type { StoredEvent } from './ledger.ts';

export type EventFilter = (event: StoredEvent) => boolean;

export interface FilterExpression {
  readonly on: 'stream' | 'type';
  /** A regular expression, or '' to go by prefix. */
  readonly regex: string;
  readonly prefixes: readonly string[];
}

export const EVERY_EVENT: EventFilter = () => true;

export function eventFilter({ on, regex, prefixes }: FilterExpression): EventFilter {
  const text = on === 'stream' ? (event: StoredEvent) => event.stream : (event: StoredEvent) => event.type;
  if (regex !== '') {
    const pattern = new RegExp(regex);
    return (event) => pattern.test(text(event));
  }
  return (event) => prefixes.some((prefix) => text(event).startsWith(prefix));
}
