import { z } from 'zod';
import { agentDirectory } from '../../../projections/agent-directory.ts';
import { type AgentDocument, agentDocument } from '../../../projections/agent-document.ts';
import { defineOperation } from '../operation.ts';
import { readView } from '../read-view.ts';
import { refuse } from '../refusals.ts';
import { comparisonOf, comparisonSchema } from './comparison.ts';
import { exampleAgent } from './example-market.ts';
import { agentSlugInput, directoryRead } from './fields.ts';
import { textsField } from '../../../projections/public-fields.ts';

const output = z.strictObject({
  agents: z.array(agentDocument).meta({ description: 'The agents, in the order they were asked for.' }),
  fields: comparisonSchema,
  differing: textsField('The fields in which they differ.', ['verification.trustScore']),
});

const rival: AgentDocument = {
  ...exampleAgent,
  slug: 'expense-clerk',
  name: 'Expense Clerk',
  autonomyLevel: 2,
};

export const compareAgents = defineOperation({
  ...directoryRead,
  name: 'compareAgents',
  summary: 'Two to five agents side by side, and where they differ.',
  description: 'Each field holds one value for each agent, in the order of `slugs`; null where one has none.',
  input: z.strictObject({
    slugs: z
      .array(agentSlugInput)
      .min(2, 'must name at least 2 agents')
      .max(5, 'must name at most 5 agents')
      .refine((slugs) => new Set(slugs).size === slugs.length, { message: 'must name each agent once' })
      .meta({
        description: 'The agents to compare, 2 to 5.',
        example: ['invoice-matcher', 'expense-clerk'],
      }),
  }),
  output,
  refusals: ['not_found'],
  example: {
    input: { slugs: [exampleAgent.slug, rival.slug] },
    output: compared([exampleAgent, rival]),
  },
  async run({ slugs }, _call, { views }) {
    const found = await Promise.all(slugs.map((slug) => readView(views, agentDirectory, slug)));
    const missing = slugs.filter((_, index) => found[index] === undefined);
    if (missing.length > 0) {
      return refuse('not_found', `there is no agent ${missing.join(', ')}`, {
        details: missing.map((slug) => ({ path: 'slugs', message: `there is no agent ${slug}` })),
      });
    }
    return { ok: true, data: compared(found.filter((agent) => agent !== undefined)) };
  },
});

function compared(agents: AgentDocument[]): z.output<typeof output> {
  const fields = comparisonOf(agents);
  const differing = fields.filter(({ differs }) => differs).map(({ field }) => field);
  return { agents, fields, differing };
}
