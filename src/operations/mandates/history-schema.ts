/** One event of a mandate, or of what it denied, as its history shows it. */
import { z } from 'zod';
import { sha256 } from '../../../events/common.ts';
import { exampleFrom } from '../example-from.ts';
import { exampleMandate, mandateSchema } from './mandate-schema.ts';
import { countField, nullableTextField, textField } from '../../../projections/public-fields.ts';

export const historyEventSchema = z
  .strictObject({
    eventId: textField('Its id.', 'evt_01kb3j5m8xe3vb0v6yq4s5t7wr'),
    type: textField('What happened.', 'MandateSpent'),
    version: countField('Of the shape of its data, as it was written.', 1),
    streamId: textField(
      'The mandate’s stream, or `denials-{mandateId}` beside it for what it denied.',
      'mandate-mdt_01kb3j5m8xe3vb0v6yq4s5t7wz',
    ),
    revision: countField('Its place in its stream, from 0.', 7),
    position: textField('Its place in the whole log.', '0000000000000042'),
    at: textField('When.', '2026-11-27T09:30:00.000Z'),
    actor: textField('Who caused it.', 'key:key_01kb3j5m8xe3vb0v6yq4s5t7wx'),
    requestId: textField('Through which request.', 'req_01kb3j5m8xe3vb0v6yq4s5t7wq'),
    prev: nullableTextField(
      'SHA-256 of its predecessor in canonical JSON; null for a denial, whose stream is no hash chain.',
      '0'.repeat(64),
    ),
    meta: z.record(z.string(), z.unknown()).meta({
      description: 'All that the event holds beside its data; it is hashed with them.',
      example: {
        actor: 'cli',
        commandId: '6f1b0c1e-7d39-4f8e-9c53-6a1a2b3c4d5e',
        prev: '7f1e1d0e9f0c2ad0a8c1fcf7c3d5c1a0b6b0f6a7c2d3e4f5061728394a5b6c7d',
        requestId: 'req_01kb3j5m8xe3vb0v6yq4s5t7wq',
      },
    }),
    hash: sha256.nullable().meta({
      description:
        'SHA-256 of `{at, data, id, meta, revision, streamId, type, version}` in RFC 8785 canonical JSON (`id` is ' +
        '`eventId`): the `prev` of the event after it. Null where the event has no canonical text.',
      example: '0f1e1d0e9f0c2ad0a8c1fcf7c3d5c1a0b6b0f6a7c2d3e4f5061728394a5b6c7d',
    }),
    data: z.record(z.string(), z.unknown()).meta({
      description:
        'What the event holds (docs/events.md), whole. An order of a release before 0.2 is in clear, and left out for ' +
        'everybody but the mandate’s own key.',
      example: { terms: {} },
    }),
    stateAfter: mandateSchema.nullable().meta({ description: 'What the mandate allowed right after it.' }),
  })
  .meta({ id: 'MandateEvent', description: 'An event of a mandate with its cause and its consequence.' });
export type HistoryEvent = z.output<typeof historyEventSchema>;

export const exampleHistoryEvent: HistoryEvent = {
  ...exampleFrom(historyEventSchema),
  type: 'MandateSuspended',
  revision: 1,
  actor: 'cli',
  prev: '7f1e1d0e9f0c2ad0a8c1fcf7c3d5c1a0b6b0f6a7c2d3e4f5061728394a5b6c7d',
  data: { reason: 'The agent bought the same trial twice.' },
  stateAfter: { ...exampleMandate, status: 'suspended' },
};
