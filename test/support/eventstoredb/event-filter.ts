/** Which events of `$all` are let through. Source: EventStore.Core/Services/Storage/ReaderIndex/EventFilter.cs. */
import type { StoredEvent } from './ledger.ts';

export type EventFilter = (event: StoredEvent) => boolean;

export interface FilterExpression {
  readonly on: 'stream' | 'type';
  /** A regular expression; '' to go by prefix. */
  readonly regex: string;
  readonly prefixes: readonly string[];
}

/** What `$all` shows without a filter: not what the server notes for itself. */
export const shownInAll: EventFilter = ({ stream }) =>
  !stream.startsWith('$') ||
  (stream !== '$epoch-information' &&
    !/^\$persistentsubscription-\$all::.*-(?:checkpoint|parked)$/.test(stream));

export function eventFilter({ on, regex, prefixes }: FilterExpression): EventFilter {
  const text = (event: StoredEvent): string => (on === 'stream' ? event.stream : event.type);
  if (regex !== '') {
    const pattern = new RegExp(regex);
    return (event) => shownInAll(event) && pattern.test(text(event));
  }
  return (event) => shownInAll(event) && prefixes.some((prefix) => text(event).startsWith(prefix));
}
