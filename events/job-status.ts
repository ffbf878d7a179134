/** The states of a job: its decider moves it, its view shows it. */
import { z } from 'zod';

export const JOB_STATUSES = [
  'draft',
  'funded',
  'running',
  'completed',
  'failed',
  'cancelled',
  'expired',
  'refunded',
] as const;
export const jobStatusSchema = z.enum(JOB_STATUSES);
export type JobStatus = z.output<typeof jobStatusSchema>;
