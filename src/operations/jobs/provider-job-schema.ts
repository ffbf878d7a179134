/** A job as the agency that does it sees it: with the brief while it needs that, without the buyer's addresses. */
import { z } from 'zod';
import type { OrderText } from '../../../events/mandate-events.ts';
import type { JobStatus } from '../../../events/job-status.ts';
import type { JobDocument } from '../../../projections/jobs.ts';
import { exampleJob, jobSchema } from './job-schema.ts';
import { orderTextOf } from './order-text.ts';
import type { Services } from '../services.ts';
import { nullableTextField } from '../../../projections/public-fields.ts';

export const providerJobSchema = jobSchema
  .omit({ keyId: true, fundingUrl: true, paymentState: true, recordWebhookUrl: true, metadata: true })
  .extend({
    brief: nullableTextField(
      'What is to be done. Shown from `funded` on until some days after the end (30 unless the operator set another ' +
        'time); null before and after.',
      'Match the invoices of October.',
    ),
    inputs: z
      .record(z.string(), z.json())
      .nullable()
      .meta({
        description:
          'Structured inputs, as the buyer sent them; null where there are none, and when `brief` is.',
        example: { month: '2026-10' },
      }),
  })
  .meta({ id: 'ProviderJob', description: 'A job as the agency that does it sees it.' });
export type ProviderJob = z.output<typeof providerJobSchema>;

const { keyId: _key, fundingUrl: _url, recordWebhookUrl: _hook, metadata: _notes, ...shared } = exampleJob;
export const exampleProviderJob: ProviderJob = {
  ...shared,
  brief: 'Match the invoices of October against the bank statement.',
  inputs: null,
};

type Reading = Pick<Services, 'privateTexts' | 'orderVisibleDays'>;

/** @param at now, RFC 3339 @throws {AccountKeysUnavailable} */
export async function showProviderJob(
  document: JobDocument,
  at: string,
  services: Reading,
): Promise<ProviderJob> {
  const isVisible = needsOrder(document, at, services);
  return showProviderJobWith(document, isVisible ? await orderTextOf(document, services) : null);
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** After these an agency has work to do. */
const OPEN: ReadonlySet<JobStatus> = new Set(['funded', 'running']);

/** Whether the agency needs the order: somebody has paid for it, and it has not been over for long. */
export function needsOrder(
  { status, history }: Pick<JobDocument, 'status' | 'history'>,
  at: string,
  { orderVisibleDays }: Pick<Services, 'orderVisibleDays'>,
): boolean {
  if (OPEN.has(status)) return true;
  const end = history.at(-1);
  if (end === undefined || !history.some((state) => state.status === 'funded')) return false;
  return Date.parse(at) < Date.parse(end.at) + orderVisibleDays * DAY_MS;
}

/** @param text null: what the buyer wrote is not shown */
export function showProviderJobWith(document: JobDocument, text: OrderText | null): ProviderJob {
  const { id, status, agent, amountCents, currency, fundingExpiresAt, recordsCreated, failure } = document;
  const { expectedRecords, artifacts, createdAt, updatedAt, history } = document;
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
    brief: text?.brief ?? null,
    inputs: text?.inputs ?? null,
  };
}
