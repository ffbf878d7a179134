/** The view of retired agents: what a page says in their place. */
import { z } from 'zod';
import { defineProjection, on } from './projection.ts';
import { agencyField, slugField, textField, timeField } from './public-fields.ts';

const RETIRED_AGENTS = 'retired-agents';

const retiredAgentDocument = z.strictObject({
  slug: slugField('invoice-matcher', 'Its name in addresses.'),
  name: textField('Its name.', 'Invoice Matcher'),
  agency: agencyField.shape.slug,
  retiredAt: timeField('When it was retired.'),
  reason: textField('Why.', 'Replaced by Invoice Matcher 2.'),
});
export type RetiredAgentDocument = z.output<typeof retiredAgentDocument>;

export const retiredAgents = defineProjection<RetiredAgentDocument>({
  name: RETIRED_AGENTS,
  version: 1,
  summary: 'Listings that ended, with the reason that their pages give.',
  schema: retiredAgentDocument,
  on: {
    AgentRetired: on('agent', (_, { data, at }) => ({
      slug: data.agent,
      name: data.name,
      agency: data.agency,
      retiredAt: at,
      reason: data.reason,
    })),
  },
});
