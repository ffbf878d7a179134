/**
 * Old versions of events, lifted to today's shape when read; nothing stored is rewritten. Each upcaster takes one
 * version to the next and has a fixture of the old one in test/events/fixtures.
 */
import type { RecordedEvent } from './event.ts';

type Upcaster = (data: object) => object;

/** By `<type>@<version it lifts from>`. What is not of its version's shape is left as it is: the schema refuses it. */
const upcasters: Readonly<Record<string, Upcaster>> = {
  'ApiKeyIssued@1': (data) => ({ ...data, expiresAt: null }),
  'ApiKeyRotated@1': (data) => ({
    ...data,
    expiresAt: null,
    previousWorksUntil: null,
    endedSecretHashes: 'previousSecretHash' in data ? [data.previousSecretHash] : [],
    isFrozen: false,
  }),
  'ApiKeyRevoked@1': (data) => {
    const { secretHash, ...rest }: { readonly secretHash?: unknown } = data;
    return { ...rest, secretHashes: [secretHash] };
  },
  'MandateSpent@1': (data) => ('order' in data ? { ...data, order: withOrderText(data.order) } : data),
  'TrialDrafted@1': withOrderText,
  'WebhookEndpointAdded@1': (data) => {
    const { url, description, ...endpoint } = membersOf(data);
    return { ...endpoint, text: { clear: { url, description } } };
  },
  'RecordAsserted@1': (data) => {
    const { jobId, agent, ...clear } = membersOf(data);
    return { jobId, agent, text: { clear } };
  },
};

/** What is written freely stood among the rest, and in clear. */
function withOrderText(order: unknown): object {
  const { brief, inputs, metadata, notifyUrl, ...rest } = membersOf(order);
  return {
    ...rest,
    hasNotifyUrl: notifyUrl !== null,
    text: { clear: { brief, inputs, metadata, notifyUrl } },
  };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  // Any object has members by name.
  return value instanceof Object ? (value as Readonly<Record<string, unknown>>) : {};
}

/** The data of a stored event as `version` would have written them. */
export function upcast(event: RecordedEvent, version: number): object {
  let data = event.data;
  for (let from = event.version; from < version; from += 1) {
    const lift = upcasters[`${event.type}@${from}`];
    if (lift === undefined) throw new Error(`no upcaster from ${event.type} version ${from}`);
    data = lift(data);
  }
  return data;
}
