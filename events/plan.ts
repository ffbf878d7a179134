/** The plans that the Directory Data API is sold in. What each allows: commands/subscription/plans.ts. */
import { z } from 'zod';

export const PLAN_NAMES = ['starter', 'pro', 'enterprise'] as const;
export const planNameSchema = z.enum(PLAN_NAMES, `must be one of ${PLAN_NAMES.join(', ')}`);
export type PlanName = z.output<typeof planNameSchema>;
