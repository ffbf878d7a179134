import { exampleFrom } from '../example-from.ts';
import { defineOperation } from '../operation.ts';
import { ingestRecord } from './ingest-record.ts';
import { recordInput, recordOutput } from './record-schema.ts';

export const assertRecord = defineOperation({
  name: 'assertRecord',
  summary: 'RECORD_CREATED: say that a job created a record in your system.',
  description:
    'The token in the address is the credential; it is part of the job’s `recordWebhookUrl`. A record that is new is ' +
    'answered with 202, one that was told before with 200 and `duplicate: true`, and is counted once. Where the owner ' +
    'of the job demands signatures, sign the post as Standard Webhooks says. `recordId` is what makes a record one, so ' +
    'that an Idempotency-Key is remembered with the record: with another `recordId` it names another request.',
  tag: 'jobs',
  kind: 'command',
  scope: null,
  input: recordInput,
  output: recordOutput,
  refusals: ['not_found', 'job_state', 'signature_invalid', 'idempotency_mismatch', 'rate_limited'],
  example: {
    input: { token: '01kb3j5m8xe3vb0v6yq4s5t7wv_H4sQ', recordId: 'INV-2026-0042' },
    output: exampleFrom(recordOutput),
  },
  run: ingestRecord,
});
