/**
 * Events that this process appended a moment ago: its subscription gives them back, and nothing is to be made of their
 * bytes once more where they are the bytes that were sent. Bounded, since nobody may follow.
 */
import type { NewEvent, RecordedEvent } from '../../events/event.ts';
import { recordEvent } from '../../events/sealed-event.ts';
import type { Message } from './append-messages.ts';
import type { ServerRecord } from './server-record.ts';

const MAX_EVENTS = 1_024;
const MAX_BYTES = 2_000_000;

export interface OwnEvents {
  /** To be told before the append is sent: a subscription may be quicker than the answer. */
  readonly add: (streamId: string, events: readonly NewEvent[], messages: readonly Message[]) => void;
  /** The event that was sent as this very record, once; undefined where it is somebody else's, or was a while ago. */
  readonly take: (record: ServerRecord) => RecordedEvent | undefined;
}

interface Sent {
  readonly streamId: string;
  readonly event: NewEvent;
  readonly message: Message;
}

/** @param prefix what the names of our streams begin with */
export function ownEvents(prefix: string): OwnEvents {
  /** By the id on the server, the oldest first. */
  const sent = new Map<string, Sent>();
  let bytes = 0;

  const remove = (uuid: string): void => {
    const found = sent.get(uuid);
    if (found === undefined) return;
    sent.delete(uuid);
    bytes -= sizeOf(found.message);
  };
  return {
    add(streamId, events, messages) {
      for (const [i, event] of events.entries()) {
        const message = messages[i];
        if (message === undefined) return;
        remove(message.id);
        sent.set(message.id, { streamId, event, message });
        bytes += sizeOf(message);
      }
      for (const uuid of sent.keys()) {
        if (sent.size <= MAX_EVENTS && bytes <= MAX_BYTES) return;
        remove(uuid);
      }
    },
    take(record) {
      const { uuid, revision, position } = record;
      const found = sent.get(uuid);
      if (found === undefined) return undefined;
      remove(uuid);
      const { streamId, event, message } = found;
      if (!isSame(record, prefix + streamId, message)) return undefined;
      return recordEvent(event, { streamId, revision, position });
    },
  };
}

function isSame(record: ServerRecord, stream: string, { type, data, metadata }: Message): boolean {
  return (
    record.stream === stream &&
    record.type === type &&
    record.contentType === 'application/json' &&
    record.data.compare(data) === 0 &&
    record.metadata.compare(metadata) === 0
  );
}

function sizeOf({ data, metadata }: Message): number {
  return data.length + metadata.length;
}
