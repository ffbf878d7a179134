/** What happened to a mandate and what it denied, as one list in the order of the log. */
import { z } from 'zod';
import { mandateDecider } from '../../../commands/mandate/mandate.ts';
import { evolveMandate, type Mandate } from '../../../commands/mandate/mandate-state.ts';
import { denialDecider } from '../../../commands/mandate/record-denial.ts';
import type { RecordedEvent } from '../../../events/event.ts';
import type { MandateFact } from '../../../events/mandate-events.ts';
import type { Keyset } from '../../../projections/view-store.ts';
import { streamIdOf } from '../../commanding/command-runner.ts';
import { occurredIn } from '../../commanding/stream-fold.ts';
import { decodeCursor, encodeCursor } from '../cursors.ts';
import { cursorField, limitField, listMeta, MAX_PAGE_BYTES } from '../list-page.ts';
import { defineOperation } from '../operation.ts';
import { refuse } from '../refusals.ts';
import { anyTime } from '../schemas/any-time.ts';
import type { Services } from '../services.ts';
import { inLogOrder } from '../../audit/in-log-order.ts';
import { withoutClearText } from '../../audit/without-clear-text.ts';
import { eventHashOrNull } from '../../../events/hash-chain.ts';
import { auditedKeyInput, auditedMandate } from './audited-mandate.ts';
import { lastDenialAt, lastRevisionAt } from './last-revision-at.ts';
import { exampleHistoryEvent, type HistoryEvent, historyEventSchema } from './history-schema.ts';
import { describeMandate, mandateSchema } from './mandate-schema.ts';
import { momentField } from '../../../projections/public-fields.ts';

export const getMandateHistory = defineOperation({
  name: 'getMandateHistory',
  summary: 'Everything that happened to your key’s mandate, what it denied, and its state at any moment.',
  description:
    'Each event comes whole, as it is hashed, with its place in the log, its cause, and the state after it. Denials ' +
    '(`SpendDenied`: amount, action, payee and reasons) stand among them, and have a stream of their own; of a flood ' +
    'some are left out, and the next one says how many (`leftOut`). With `asOf` the history ends at that moment, and ' +
    '`meta.mandateState` is the state as it was then.',
  tag: 'mandates',
  kind: 'query',
  scope: 'mandate:read',
  orScope: 'audit:read',
  input: z.strictObject({
    keyId: auditedKeyInput,
    asOf: anyTime.optional().meta({
      description: 'Answer as of this moment: any RFC 3339 time.',
      example: '2026-11-27T09:30:00.000Z',
    }),
    limit: limitField,
    cursor: cursorField,
  }),
  output: z.array(historyEventSchema),
  meta: listMeta
    .extend({
      asOf: momentField('The moment of the answer.'),
      mandateState: mandateSchema
        .nullable()
        .meta({ description: 'The state at that moment; null before the mandate was granted.' }),
    })
    .meta({ id: 'MandateHistoryMeta', description: 'Where the page stands, and the state at its moment.' }),
  refusals: ['invalid_cursor', 'not_found'],
  example: { input: { asOf: '2026-11-27T09:30:00.000Z', limit: 20 }, output: [exampleHistoryEvent] },
  async run({ keyId, asOf, limit, cursor }, call, services) {
    const audited = await auditedMandate(services, keyId, call);
    if (!audited.ok) return audited;
    const { mandateId, isOwn } = audited;
    const binding = { list: 'mandate-history', mandateId, asOf };
    const after = cursor === undefined ? FIRST_PLACE : placeOf(decodeCursor(cursor, binding));
    if (after === null)
      return refuse('invalid_cursor', 'this cursor is malformed or belongs to another list');

    const moment = asOf ?? call.at;
    await services.denials.settled(mandateId);
    const last = {
      event: await lastRevisionAt(services, mandateId, asOf ?? null, call.at),
      denial: await lastDenialAt(services, mandateId, asOf ?? null, call.at),
    };
    const { rows, reached } = await rowsAfter(services, mandateId, { after, last, limit, isOwn }, call.at);
    const isWhole = reached.event >= last.event && reached.denial >= last.denial;
    const state = await stateAt(services, mandateId, last.event, call.at);
    return {
      ok: true,
      data: rows,
      meta: {
        limit,
        nextCursor: isWhole ? null : encodeCursor([reached.event, reached.denial], binding),
        total: last.event + 1 + last.denial + 1,
        asOf: moment,
        mandateState: state.status === 'absent' ? null : describeMandate(state, moment),
      },
    };
  },
});

/** Revisions in the mandate's stream and in that of its denials. */
interface Place {
  readonly event: number;
  readonly denial: number;
}

const FIRST_PLACE: Place = { event: -1, denial: -1 };

function placeOf(keyset: Keyset | null): Place | null {
  const [event, denial] = keyset ?? [];
  return isPlace(event) && isPlace(denial) ? { event, denial } : null;
}

/** Whoever reads may have made the cursor. */
function isPlace(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= -1;
}

interface Range {
  readonly after: Place;
  readonly last: Place;
  readonly limit: number;
  readonly isOwn: boolean;
}

async function rowsAfter(
  services: Services,
  mandateId: string,
  { after, last, limit, isOwn }: Range,
  now: string,
): Promise<{ readonly rows: HistoryEvent[]; readonly reached: Place }> {
  const rows: HistoryEvent[] = [];
  let reached = after;
  let bytes = 0;
  let state = await stateAt(services, mandateId, after.event, now);
  const denials = streamIdOf(denialDecider, mandateId);
  const both = inLogOrder([
    between(services, streamIdOf(mandateDecider, mandateId), after.event, last.event),
    between(services, denials, after.denial, last.denial),
  ]);
  for await (const event of both) {
    const isDenial = event.streamId === denials;
    if (!isDenial) state = evolveMandate(state, occurredIn<MandateFact>(event));
    const row = historyEvent(event, state, isOwn);
    bytes += Buffer.byteLength(JSON.stringify(row));
    if (bytes > MAX_PAGE_BYTES && rows.length > 0) break;
    rows.push(row);
    reached = isDenial ? { ...reached, denial: event.revision } : { ...reached, event: event.revision };
    if (rows.length === limit) break;
  }
  return { rows, reached };
}

/** The events of a stream after one revision, up to another. */
async function* between(
  { events }: Pick<Services, 'events'>,
  streamId: string,
  after: number,
  last: number,
): AsyncIterable<RecordedEvent> {
  if (after >= last) return;
  for await (const event of events.read(streamId, { from: after + 1 })) {
    yield event;
    if (event.revision >= last) return;
  }
}

function stateAt({ commands }: Services, mandateId: string, revision: number, now: string): Promise<Mandate> {
  if (revision < 0) return Promise.resolve({ status: 'absent' });
  return commands.loadAt(mandateDecider, mandateId, revision, now);
}

/** @param isOwn whether the mandate is the reader's own: others see no order that is in clear */
function historyEvent(event: RecordedEvent, state: Mandate, isOwn: boolean): HistoryEvent {
  const { id, type, version, streamId, revision, position, at } = event;
  const { data, meta } = (isOwn ? null : withoutClearText(event)) ?? event;
  return {
    eventId: id,
    type,
    version,
    streamId,
    revision,
    position,
    at,
    actor: event.meta.actor,
    requestId: event.meta.requestId,
    prev: event.meta.prev ?? null,
    meta: { ...meta },
    hash: eventHashOrNull(event),
    data: { ...data },
    stateAfter: state.status === 'absent' ? null : describeMandate(state, at),
  };
}
