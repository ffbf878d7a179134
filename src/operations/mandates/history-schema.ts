/** One event of a mandate as its history shows it. */
import { z } from 'zod';
import { exampleMandate, mandateSchema } from './mandate-schema.ts';

export const historyEventSchema = z
  .strictObject({
    eventId: z.string().meta({ description: 'Its id.', example: 'evt_01kb3j5m8xe3vb0v6yq4s5t7wr' }),
    type: z.string().meta({ description: 'What happened.', example: 'MandateSpent' }),
    revision: z.int().meta({ description: 'Its place in the mandate’s stream, from 0.', example: 7 }),
    position: z.string().meta({ description: 'Its place in the whole log.', example: '0000000000000042' }),
    at: z.string().meta({ description: 'When.', example: '2026-11-27T09:30:00.000Z' }),
    actor: z.string().meta({ description: 'Who caused it.', example: 'key:key_01kb3j5m8xe3vb0v6yq4s5t7wx' }),
    requestId: z
      .string()
      .meta({ description: 'Through which request.', example: 'req_01kb3j5m8xe3vb0v6yq4s5t7wq' }),
    prev: z
      .string()
      .nullable()
      .meta({ description: 'SHA-256 of its predecessor in canonical JSON.', example: '0'.repeat(64) }),
    data: z.record(z.string(), z.unknown()).meta({
      description: 'What the event holds (docs/events.md).',
      example: { terms: {} },
    }),
    stateAfter: mandateSchema.nullable().meta({ description: 'What the mandate allowed right after it.' }),
  })
  .meta({ id: 'MandateEvent', description: 'An event of a mandate with its cause and its consequence.' });
export type HistoryEvent = z.output<typeof historyEventSchema>;

export const exampleHistoryEvent: HistoryEvent = {
  eventId: 'evt_01kb3j5m8xe3vb0v6yq4s5t7wr',
  type: 'MandateSuspended',
  revision: 1,
  position: '0000000000000042',
  at: '2026-11-27T09:30:00.000Z',
  actor: 'cli',
  requestId: 'req_01kb3j5m8xe3vb0v6yq4s5t7wq',
  prev: '7f1e1d0e9f0c2ad0a8c1fcf7c3d5c1a0b6b0f6a7c2d3e4f5061728394a5b6c7d',
  data: { reason: 'The agent bought the same trial twice.' },
  stateAfter: { ...exampleMandate, status: 'suspended' },
};
