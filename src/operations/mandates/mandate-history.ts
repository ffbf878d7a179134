import { z } from 'zod';
import { mandateDecider } from '../../../commands/mandate/mandate.ts';
import { evolveMandate, type Mandate } from '../../../commands/mandate/mandate-state.ts';
import { timestamp } from '../../../events/common.ts';
import type { RecordedEvent } from '../../../events/event.ts';
import type { MandateFact } from '../../../events/mandate-events.ts';
import { streamIdOf } from '../../runners/command-runner.ts';
import { occurredIn } from '../../runners/stream-fold.ts';
import { decodeCursor, encodeCursor } from '../cursors.ts';
import { cursorField, limitField, listMeta, MAX_PAGE_BYTES } from '../list-page.ts';
import { defineOperation } from '../operation.ts';
import { refuse } from '../refusals.ts';
import { anyTime } from '../schemas/any-time.ts';
import type { Services } from '../services.ts';
import { withoutClearText } from '../../audit/without-clear-text.ts';
import { hashOf } from '../../audit/replay-mandate.ts';
import { auditedKeyInput, auditedMandate } from './audited-mandate.ts';
import { lastRevisionAt } from './last-revision-at.ts';
import { exampleHistoryEvent, type HistoryEvent, historyEventSchema } from './history-schema.ts';
import { describeMandate, mandateSchema } from './mandate-schema.ts';

export const getMandateHistory = defineOperation({
  name: 'getMandateHistory',
  summary: 'Everything that happened to your key’s mandate, and its state at any moment.',
  description:
    'Each event comes whole, as it is hashed, with its place in the log, its cause, and the state after it. With `asOf` the history ends at ' +
    'that moment, and `meta.mandateState` is the state as it was then.',
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
      asOf: timestamp.meta({ description: 'The moment of the answer.', example: '2026-11-27T09:30:00.000Z' }),
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
    const place = cursor === undefined ? [-1] : decodeCursor(cursor, binding);
    const after = place?.[0];
    if (typeof after !== 'number')
      return refuse('invalid_cursor', 'this cursor is malformed or belongs to another list');

    const moment = asOf ?? call.at;
    const last = await lastRevisionAt(services, mandateId, asOf ?? null, call.at);
    const range = { after, last: Math.min(last, after + limit), isOwn };
    const events = await eventsAfter(services, mandateId, range, call.at);
    const reached = after + events.length;
    const state = await stateAt(services, mandateId, last, call.at);
    return {
      ok: true,
      data: events,
      meta: {
        limit,
        nextCursor: reached < last ? encodeCursor([reached], binding) : null,
        total: last + 1,
        asOf: moment,
        mandateState: state.status === 'absent' ? null : describeMandate(state, moment),
      },
    };
  },
});

async function eventsAfter(
  services: Services,
  mandateId: string,
  { after, last, isOwn }: { readonly after: number; readonly last: number; readonly isOwn: boolean },
  now: string,
): Promise<HistoryEvent[]> {
  const rows: HistoryEvent[] = [];
  let bytes = 0;
  if (after >= last) return rows;
  let state = await stateAt(services, mandateId, after, now);
  const streamId = streamIdOf(mandateDecider, mandateId);
  for await (const event of services.events.read(streamId, { from: after + 1 })) {
    state = evolveMandate(state, occurredIn<MandateFact>(event));
    const row = historyEvent(event, state, isOwn);
    bytes += Buffer.byteLength(JSON.stringify(row));
    if (bytes > MAX_PAGE_BYTES && rows.length > 0) break;
    rows.push(row);
    if (event.revision === last) break;
  }
  return rows;
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
    hash: hashOf(event),
    data: { ...data },
    stateAfter: state.status === 'absent' ? null : describeMandate(state, at),
  };
}
