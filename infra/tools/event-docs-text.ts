/** The text of docs/events.md: each event, when it happens and who cares, its fields, an example. */
import { z } from 'zod';
import { accountEvents } from '../../events/account-events.ts';
import { agencyEvents } from '../../events/agency-events.ts';
import { agentEvents } from '../../events/agent-events.ts';
import { bundleEvents } from '../../events/bundle-events.ts';
import { dataSetEvents, sourceEvents } from '../../events/data-set-events.ts';
import { eventCatalog } from '../../events/catalog.ts';
import type { EventDefinition } from '../../events/event.ts';
import { jobEvents } from '../../events/job-events.ts';
import { keyEvents } from '../../events/key-events.ts';
import { alertEvents } from '../../events/alert-events.ts';
import { keyringEvents } from '../../events/keyring-events.ts';
import { denialEvents, mandateEvents } from '../../events/mandate-events.ts';
import { logEvents } from '../../events/log-events.ts';
import { methodologyEvents } from '../../events/methodology-events.ts';
import { placeEvents } from '../../events/place-events.ts';
import { reactionEvents } from '../../events/reaction-events.ts';
import { recordEvents } from '../../events/record-events.ts';
import { subscriptionEvents } from '../../events/subscription-events.ts';
import { usageEvents } from '../../events/usage-events.ts';
import { webhookEvents } from '../../events/webhook-events.ts';

interface Family {
  readonly title: string;
  readonly streams: string;
  readonly events: readonly EventDefinition[];
}

const FAMILIES: readonly Family[] = [
  { title: 'Mandates', streams: '`mandate-{mandateId}`, a hash chain', events: mandateEvents },
  { title: 'Denials', streams: '`denials-{mandateId}`', events: denialEvents },
  { title: 'Alerts', streams: '`alerts-{mandateId}`', events: alertEvents },
  { title: 'Keys', streams: '`key-{keyId}`', events: keyEvents },
  { title: 'Keyrings', streams: '`keyring-{accountId}`', events: keyringEvents },
  { title: 'Accounts', streams: '`account-{handle}`', events: accountEvents },
  { title: 'Jobs', streams: '`job-{jobId}`', events: jobEvents },
  { title: 'Records', streams: '`record-{jobId}-{hash of recordId}`, one event each', events: recordEvents },
  { title: 'Agents', streams: '`agent-{slug}`', events: agentEvents },
  { title: 'Agencies', streams: '`agency-{slug}`', events: agencyEvents },
  { title: 'Bundles', streams: '`bundle-{slug}`', events: bundleEvents },
  { title: 'Methodology', streams: '`methodology`', events: methodologyEvents },
  {
    title: 'Webhooks',
    streams: '`webhook-{endpointId}` and `notify-{accountId}`',
    events: webhookEvents,
  },
  { title: 'Places', streams: '`places-{kind}-{owner}`', events: placeEvents },
  { title: 'Subscriptions', streams: '`subscription-{accountId}`', events: subscriptionEvents },
  { title: 'Usage', streams: '`usage-{accountId}-{period}`', events: usageEvents },
  { title: 'Data sets', streams: '`dataset-{name}`', events: dataSetEvents },
  { title: 'Sources of data sets', streams: '`source-{name}`', events: sourceEvents },
  { title: 'The log itself', streams: '`log-losses`', events: logEvents },
  { title: 'Reactions', streams: '`reaction-{name}`', events: reactionEvents },
];

const INTRODUCTION = `# Events

What can happen in Bourse, made from \`events/catalog.ts\` by \`npm run docs:events\`. Facts are only ever added. Each is
kept in an envelope: \`id\`, \`type\`, \`version\`, \`streamId\`, \`revision\` (its place in the stream, from 0), \`position\` (its
place in the whole log; opaque, sorts in commit order), \`at\` (UTC), \`data\` (below) and \`meta\`: \`actor\`, \`requestId\`,
\`commandId\`, and where they apply \`requestHash\`, \`causationId\`, \`correlationId\` and \`prev\`.

In a stream that is a hash chain, \`meta.prev\` is the SHA-256 of the event before, in RFC 8785 canonical JSON without its
\`position\`; of the first event it is 64 zeros. \`bourse audit verify\` checks it in an export, with no database.
`;

export function eventDocs(): string {
  const described = FAMILIES.flatMap(({ events }) => events);
  const forgotten = eventCatalog.find(({ type }) => described.every((one) => one.type !== type));
  if (forgotten !== undefined) throw new Error(`${forgotten.type} belongs to no family of the documentation`);
  return [INTRODUCTION, ...FAMILIES.map(familyDocs)].join('\n');
}

function familyDocs({ title, streams, events }: Family): string {
  return [`## ${title}\n\nStreams: ${streams}.\n`, ...events.map(oneEventDocs)].join('\n');
}

function oneEventDocs({ type, version, summary, data, example }: EventDefinition): string {
  const rows = fieldsOf(z.toJSONSchema(data, { unrepresentable: 'any', io: 'output' }), '');
  const table =
    rows.length === 0 ? 'No fields.' : ['| field | what it holds |', '|---|---|', ...rows].join('\n');
  const json = JSON.stringify(example, null, 2);
  return `### ${type}\n\nVersion ${version}. ${summary}\n\n${table}\n\n\`\`\`json\n${json}\n\`\`\`\n`;
}

/** The part of JSON Schema that field types are told by. */
interface Described {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Described[];
  readonly items?: Described;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maxLength?: number;
}

const MAX_DEPTH = 2;

function fieldsOf(schema: object, prefix: string, depth = 0): string[] {
  // What zod writes is JSON Schema.
  const { properties = {} } = schema as Described;
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = prefix + name;
    const inner =
      field.type === 'object' ? field : (field.anyOf?.find(({ type }) => type === 'object') ?? {});
    const below = depth < MAX_DEPTH ? fieldsOf(inner, `${path}.`, depth + 1) : [];
    return [`| \`${path}\` | ${kindOf(field)} |`, ...below];
  });
}

function kindOf({
  type,
  const: constant,
  enum: choices,
  anyOf,
  items,
  pattern,
  maxLength,
}: Described): string {
  if (constant !== undefined) return `always \`${JSON.stringify(constant)}\``;
  if (choices !== undefined) return choices.map((choice) => `\`${String(choice)}\``).join(', ');
  if (anyOf !== undefined) return anyOf.map(kindOf).join(' or ');
  if (type === 'array') return `list of ${items === undefined ? 'anything' : kindOf(items)}`;
  if (type === 'null') return 'null';
  if (type === 'integer') return 'whole number';
  if (type !== 'string') return type ?? 'any JSON';
  const id = /^\^([a-z]{3})_\[0-7\]/.exec(pattern ?? '')?.[1];
  if (id !== undefined) return `id \`${id}_…\``;
  if (pattern?.includes('T([01]') === true) return 'time';
  if (pattern === '^[0-9a-f]{64}$') return 'SHA-256';
  return maxLength === undefined ? 'text' : `text, at most ${maxLength} characters`;
}
