/** Of all that keys did, what belongs to one account: found by what its first events say, so that ids are all it holds. */
import type { RecordedEvent } from '../../events/event.ts';

export async function* ofAccount(
  events: AsyncIterable<RecordedEvent>,
  accountId: string,
): AsyncIterable<RecordedEvent> {
  const streams = new Set<string>();
  for await (const event of events) {
    const { streamId, data } = event;
    if ('accountId' in data && data.accountId === accountId) {
      streams.add(streamId);
      // Denials stand beside their mandate, and name no account.
      if (streamId.startsWith('mandate-')) streams.add(streamId.replace('mandate-', 'denials-'));
    }
    if (streams.has(streamId)) yield event;
  }
}
