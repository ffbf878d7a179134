/** What operators decide about the log itself, in its stream `log-losses`. */
import { z } from 'zod';
import { cents, timestamp } from './common.ts';
import { defineEvent, type FactOf } from './event.ts';
import { idSchema } from './ids.ts';
import { jobStatusSchema } from './job-status.ts';

/** More are counted, and not listed: an event has its bounds. */
export const MOST_LISTED = 1_000;

const followerSchema = z.strictObject({
  name: z.string(),
  kind: z.enum(['another_log', 'shorter', 'other_events']),
  /** How far it had seen the log. */
  position: z.string().nullable(),
  /** When that event happened; null where it kept none. */
  at: timestamp.nullable(),
});

const raisedSchema = z.strictObject({
  mandateId: idSchema('mandate'),
  spends: z.int().min(1),
  amountCents: cents,
  /** False where the mandate itself is among what was lost: nothing of it could be raised. */
  isRaised: z.boolean(),
});

const example = {
  reason: 'The disk of the old machine is gone; the backup of the night is all that there is.',
  logId: '6f1c3a52-8f4e-4a55-9d0e-0b8f6f0f3c11',
  head: '0000000000001882',
  followers: [
    {
      name: 'the view jobs (generation 3)',
      kind: 'shorter' as const,
      position: '0000000000001891',
      at: '2026-11-27T09:30:00.000Z',
    },
  ],
  spends: 3,
  amountCents: 5_700,
  jobs: [{ jobId: 'job_01kb3j5m8xe3vb0v6yq4s5t7wx', status: 'completed' as const }],
  moreJobs: 0,
  mandates: [{ mandateId: 'mdt_01kb3j5m8xe3vb0v6yq4s5t7wz', spends: 3, amountCents: 5_700, isRaised: true }],
  moreMandates: 0,
};

export const logEvents = [
  defineEvent({
    type: 'LogLossAccepted',
    summary:
      'An operator went on with a log that had lost events: what its followers knew of them, and which mandates were raised by it. For auditors.',
    data: z.strictObject({
      reason: z.string().min(1).max(500),
      /** The identity of the log that went on. */
      logId: z.string(),
      /** Where it ended; null if it was empty. */
      head: z.string().nullable(),
      followers: z.array(followerSchema).max(MOST_LISTED),
      /** Acknowledged, known to the view of jobs, and not in the log. */
      spends: z.int().min(0),
      amountCents: cents,
      /** Those that had gone further than the log that went on says, as the view of jobs last saw them. */
      jobs: z
        .array(z.strictObject({ jobId: idSchema('job'), status: jobStatusSchema }))
        .max(MOST_LISTED)
        .optional(),
      /** Beyond those that are listed. */
      moreJobs: z.int().min(0).optional(),
      mandates: z.array(raisedSchema).max(MOST_LISTED),
      /** Beyond those that are listed. */
      moreMandates: z.int().min(0),
    }),
    example,
  }),
] as const;

export type LogFact = FactOf<(typeof logEvents)[number]>;
