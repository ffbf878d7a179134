import { z } from 'zod';
import { agentDocument } from '../../../projections/agent-document.ts';
import { AGENT_DIRECTORY } from '../../../projections/agent-directory.ts';
import { defineOperation } from '../operation.ts';
import { exampleAgent } from './example-market.ts';
import { agentSlugInput, directoryRead, storedDocument } from './fields.ts';

export const getAgent = defineOperation({
  ...directoryRead,
  name: 'getAgent',
  summary: 'One agent, with its verification evidence in short and the outcomes of its jobs.',
  description:
    'A suspended agent is still answered, with `suspension` in it; a retired one is not found. What its trust score ' +
    'rests on is in its verification record.',
  input: z.strictObject({ slug: agentSlugInput }),
  output: agentDocument,
  refusals: ['not_found'],
  example: { input: { slug: exampleAgent.slug }, output: exampleAgent },
  run: ({ slug }, _call, { views }) => storedDocument(views, AGENT_DIRECTORY, slug, 'agent'),
});
