/** How what is answered is written down: without what differs from run to run. */
import type { RecordedEvent as ReceivedEvent, ResolvedEvent } from '@eventstore/db-client';
import type { Names } from './stage.ts';
import type { Answer } from './scenario.ts';

/** Of longer data only the length is noted. */
const SHORT_BYTES = 1_000;

const FIELDS = ['streamName', 'expectedVersion', 'actualVersion', 'maxAppendSize'] as const;

export function notedError(error: unknown): Answer {
  // The client fails with errors of its own and with whatever falls out of it.
  const failed = error as Error & { type?: string; code?: number } & Partial<
      Record<(typeof FIELDS)[number], unknown>
    >;
  const fields = FIELDS.flatMap((field) => {
    const value = failed[field];
    return value === undefined ? [] : [[field, typeof value === 'bigint' ? String(value) : value]];
  });
  return {
    error: failed.type ?? failed.name,
    ...(failed.code !== undefined && { code: failed.code }),
    ...Object.fromEntries(fields),
    message: sameInEveryRun(failed.message),
  };
}

function sameInEveryRun(message: string): string {
  return message.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, 'ID').replace(/\d{6,}/g, 'N');
}

/** An event; of a link that was to be resolved the link and what it leads to, or null. */
export function notedResolved(names: Names, { event, link }: ResolvedEvent): Answer {
  if (link !== undefined) {
    return { link: notedEvent(names, link), event: event === undefined ? null : notedEvent(names, event) };
  }
  if (event === undefined) throw new Error('neither an event nor a link');
  return notedEvent(names, event);
}

function notedEvent(names: Names, event: ReceivedEvent): Answer {
  const { position, metadata } = event;
  return {
    stream: event.streamId,
    revision: String(event.revision),
    id: names.nameOf(event.id),
    type: event.type,
    isJson: event.isJson,
    ...(event.isJson ? { json: event.data } : notedBytes(event.data)),
    ...(metadata !== undefined && {
      metadata: metadata instanceof Uint8Array ? Buffer.from(metadata).toJSON() : metadata,
    }),
    position: position?.commit === position?.prepare ? 'commit = prepare' : 'commit and prepare differ',
  };
}

function notedBytes(data: Uint8Array): Answer {
  return data.length > SHORT_BYTES
    ? { bytes: data.length }
    : { base64: Buffer.from(data).toString('base64') };
}
