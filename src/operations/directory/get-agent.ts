import { z } from 'zod';
import { agentDocument } from '../../../projections/agent-document.ts';
import { AGENT_DIRECTORY } from '../../../projections/agent-directory.ts';
import { defineOperation, StoredJson } from '../operation.ts';
import { exampleAgent } from './example-market.ts';
import { agentSlugInput, DIRECTORY_CACHE_SECONDS, nothingAt } from './fields.ts';

export const getAgent = defineOperation({
  name: 'getAgent',
  summary: 'One agent, with its verification evidence in short and the outcomes of its jobs.',
  description:
    'A suspended agent is still answered, with `suspension` in it; a retired one is not found. What its trust score ' +
    'rests on is in its verification record.',
  tag: 'directory',
  kind: 'query',
  scope: null,
  input: z.strictObject({ slug: agentSlugInput }),
  output: agentDocument,
  refusals: ['not_found'],
  cacheSeconds: DIRECTORY_CACHE_SECONDS,
  example: { input: { slug: exampleAgent.slug }, output: exampleAgent },
  async run({ slug }, _call, { views }) {
    const text = await views.getJson(AGENT_DIRECTORY, slug);
    return text === undefined ? nothingAt('agent', slug) : { ok: true, data: new StoredJson(text) };
  },
});
