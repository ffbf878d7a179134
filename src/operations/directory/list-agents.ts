import { z } from 'zod';
import { slug } from '../../../events/common.ts';
import { PRICING_MODELS } from '../../../events/agent-listing.ts';
import { TIERS } from '../../../events/agent-score.ts';
import { agentDocument } from '../../../projections/agent-document.ts';
import { AGENT_DIRECTORY } from '../../../projections/agent-directory.ts';
import {
  cursorField,
  limitField,
  listMeta,
  listPage,
  orderOf,
  refuseSort,
  searchField,
} from '../list-page.ts';
import { defineOperation } from '../operation.ts';
import { exampleAgent } from './example-market.ts';
import { agencyFilter, categoryFilter, directoryRead } from './fields.ts';

const AGENT_SORTS = ['-trustScore', 'name', '-publishedAt', 'priceCents', 'relevance'] as const;

const input = z.strictObject({
  q: searchField,
  category: categoryFilter,
  capability: slug
    .optional()
    .meta({ description: 'Only agents that can do this.', example: 'invoice-matching' }),
  agency: agencyFilter,
  tier: z.enum(TIERS).optional().meta({ description: 'Only agents of this tier.', example: 'listed' }),
  minTrustScore: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .meta({ description: 'Only agents with this trust score or a higher one.', example: 50 }),
  autonomyLevel: z
    .int()
    .min(1)
    .max(5)
    .optional()
    .meta({ description: 'Only agents of this autonomy level.', example: 3 }),
  pricingModel: z
    .enum(PRICING_MODELS)
    .optional()
    .meta({ description: 'Only agents priced by this unit.', example: 'per_task' }),
  maxPriceCents: z.int().min(0).optional().meta({
    description: 'Only agents whose unit price (pricing.amountCents) is not higher.',
    example: 5_000,
  }),
  sort: z.enum(AGENT_SORTS).optional().meta({
    description: 'Without q: -trustScore when left out. With q: relevance when left out.',
    example: '-trustScore',
  }),
  limit: limitField,
  cursor: cursorField,
});

export const listAgents = defineOperation({
  ...directoryRead,
  name: 'listAgents',
  summary: 'Find agents by words, category, capability, tier, price and more.',
  description:
    'Every word of `q` must match in name, tagline, capabilities or description. How well a text matches and how far ' +
    'an agent is trusted are two things: `relevance` knows nothing of trust scores. Suspended agents are left out.',
  input,
  output: z.array(agentDocument),
  meta: listMeta,
  refusals: ['invalid_request', 'invalid_cursor'],
  example: { input: { category: 'finance', minTrustScore: 50, limit: 20 }, output: [exampleAgent] },
  async run({ q, sort, limit, cursor, category, capability, minTrustScore, ...rest }, call, { views }) {
    const { maxPriceCents, ...equal } = rest;
    const refused = refuseSort(sort, q);
    if (refused !== null) return refused;
    return listPage(views, {
      view: AGENT_DIRECTORY,
      filter: {
        status: 'listed',
        categories: category,
        capabilities: capability,
        ...equal,
        trustScore: minTrustScore === undefined ? undefined : { min: minTrustScore },
        priceCents: maxPriceCents === undefined ? undefined : { max: maxPriceCents },
      },
      order: orderOf(sort, q, '-trustScore'),
      q,
      limit,
      cursor,
      asking: call,
    });
  },
});
