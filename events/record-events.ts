/**
 * What a job produced in its buyer's system: one stream `record-{jobId}-{digest of the record's id}` for each record, so
 * that the log itself counts a record once, however many there are and however late the same one is told again.
 */
import { z } from 'zod';
import { counts, jsonValue, slug, timestamp } from './common.ts';
import { defineEvent, type FactOf } from './event.ts';
import { idSchema } from './ids.ts';
import { exampleEncrypted, privateText } from './private-text.ts';

/** What the buyer's system tells of a record. */
const recordTextSchema = z.strictObject({
  recordId: z.string().min(1).max(200),
  recordType: z.string().nullable(),
  occurredAt: timestamp.nullable(),
  url: z.string().nullable(),
  attributes: z.record(z.string(), jsonValue).nullable(),
});
export type RecordText = z.output<typeof recordTextSchema>;

export const recordEvents = [
  defineEvent({
    type: 'RecordAsserted',
    version: 2,
    summary: 'The buyer’s system asserted RECORD_CREATED: the job produced one more record there.',
    data: z.strictObject({
      jobId: idSchema('job'),
      agent: slug,
      counts,
      /** Of the account whose job it is. */
      text: privateText(recordTextSchema),
    }),
    example: {
      jobId: 'job_01kb3j5m8xe3vb0v6yq4s5t7wv',
      agent: 'invoice-matcher',
      text: exampleEncrypted,
    },
  }),
] as const;

export type RecordFact = FactOf<(typeof recordEvents)[number]>;
