/**
 * Spends of releases before 0.2 hold their order in clear, and a plain hash of the request. Whoever audits what is not
 * theirs sees neither. Such an event cannot be hashed again from what is left of it: its hash is told beside it.
 */
import { canonicalJson } from '../../events/canonical-json.ts';
import type { RecordedEvent } from '../../events/event.ts';

const NO_TEXT = { brief: '', inputs: null, metadata: {}, notifyUrl: null };

type Shown = Pick<RecordedEvent, 'data' | 'meta'>;

/** Null where the event holds no text in clear. */
export function withoutClearText({ type, version, data, meta }: RecordedEvent): Shown | null {
  if (type !== 'MandateSpent' || version !== 1 || !('order' in data)) return null;
  const { requestHash: _hash, ...shownMeta } = meta;
  const order = Object.entries(data.order ?? {}).filter(([name]) => !(name in NO_TEXT));
  return { data: { ...data, order: Object.fromEntries(order) }, meta: shownMeta };
}

/** Whether it is such an event, without its text. */
export function lacksClearText(event: RecordedEvent): boolean {
  const shown = withoutClearText(event);
  return shown !== null && canonicalJson(shown) === canonicalJson({ data: event.data, meta: event.meta });
}

/** With empty texts in place of those that were left out, so that all the rest of it can be checked. */
export function withEmptyText(event: RecordedEvent): RecordedEvent {
  const { id, type, version, streamId, revision, at, position, data, meta } = event;
  const order = 'order' in data && typeof data.order === 'object' ? { ...NO_TEXT, ...data.order } : undefined;
  return { id, type, version, streamId, revision, at, position, data: { ...data, order }, meta };
}
