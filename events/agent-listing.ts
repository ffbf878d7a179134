/** What an agency says about its agent. Nothing here is verified; what is verified is evidence (agent-score.ts). */
import { z } from 'zod';
import { cents, currency, slug } from './common.ts';
import { line, prose, webAddress } from './texts.ts';

export const PRICING_MODELS = ['free', 'per_task', 'per_record', 'per_hour', 'subscription'] as const;

/** How much an agent does by itself, named by what is left to the user. */
export const AUTONOMY_ROLES = ['operator', 'collaborator', 'consultant', 'approver', 'observer'] as const;
export const autonomyLevelSchema = z.int().min(1).max(AUTONOMY_ROLES.length);

/** The agency by the name it had when the fact was recorded, so that a view needs no look-up. */
export const agencyReferenceSchema = z.strictObject({ slug, name: line(80) });

export const listingSchema = z.strictObject({
  name: line(80),
  tagline: line(160),
  description: prose(8_000),
  agency: agencyReferenceSchema,
  categories: z.array(slug).min(1).max(8),
  capabilities: z.array(slug).min(1).max(32),
  integrations: z.array(slug).max(32),
  autonomyLevel: autonomyLevelSchema,
  pricing: z.strictObject({
    model: z.enum(PRICING_MODELS),
    /** The price of one unit of the model: a task, a record, an hour, a month. */
    amountCents: cents,
    /** What a trial run costs: the amount a mandate is charged. */
    trialPriceCents: cents,
    currency,
  }),
  links: z.strictObject({
    homepage: webAddress.optional(),
    documentation: webAddress.optional(),
    mcp: webAddress.optional(),
    a2aCard: webAddress.optional(),
  }),
});
export type Listing = z.output<typeof listingSchema>;
