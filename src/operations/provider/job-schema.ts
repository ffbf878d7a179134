/** A job as the agency that does it sees it: with the brief, without the buyer's addresses. */
import { z } from 'zod';
import type { JobDocument } from '../../../projections/jobs.ts';
import { exampleJob, jobSchema } from '../jobs/job-schema.ts';

export const providerJobSchema = jobSchema
  .omit({ keyId: true, fundingUrl: true, paymentState: true, recordWebhookUrl: true, metadata: true })
  .extend({
    brief: z.string().meta({ description: 'What is to be done.', example: 'Match the invoices of October.' }),
    inputs: z
      .record(z.string(), z.json())
      .nullable()
      .meta({ description: 'Structured inputs, as the buyer sent them.', example: { month: '2026-10' } }),
  })
  .meta({ id: 'ProviderJob', description: 'A job as the agency that does it sees it.' });
export type ProviderJob = z.output<typeof providerJobSchema>;

const { keyId: _key, fundingUrl: _url, recordWebhookUrl: _hook, metadata: _notes, ...shared } = exampleJob;
export const exampleProviderJob: ProviderJob = {
  ...shared,
  brief: 'Match the invoices of October against the bank statement.',
  inputs: null,
};

export function showProviderJob(document: JobDocument): ProviderJob {
  const { id, status, agent, amountCents, currency, fundingExpiresAt, recordsCreated, failure } = document;
  const { expectedRecords, artifacts, createdAt, updatedAt, history, brief, inputs } = document;
  return {
    id,
    status,
    agent,
    amountCents,
    currency,
    fundingExpiresAt,
    recordsCreated,
    expectedRecords,
    artifactCount: artifacts.length,
    ...(failure === null ? {} : { failure }),
    createdAt,
    updatedAt,
    history,
    brief,
    inputs,
  };
}
