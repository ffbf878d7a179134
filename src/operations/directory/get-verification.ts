import { z } from 'zod';
import { verificationDocument } from '../../../projections/verification-document.ts';
import { VERIFICATION_RECORDS } from '../../../projections/verification-records.ts';
import { defineOperation, StoredJson } from '../operation.ts';
import { exampleRecord } from './example-market.ts';
import { agentSlugInput, digestNote, DIRECTORY_CACHE_SECONDS, nothingAt } from './fields.ts';

export const getVerification = defineOperation({
  name: 'getVerification',
  summary: 'The verification record of an agent: every check, its evidence, and the score worked out.',
  description:
    'With the methodology of the version it names, anyone can recompute score and tier from this document: ' +
    `\`bourse verify agent\` does. Checks that do not pass say which evidence would change them. ${digestNote}`,
  tag: 'directory',
  kind: 'query',
  scope: null,
  input: z.strictObject({ slug: agentSlugInput }),
  output: verificationDocument,
  refusals: ['not_found'],
  cacheSeconds: DIRECTORY_CACHE_SECONDS,
  example: { input: { slug: exampleRecord.agent }, output: exampleRecord },
  async run({ slug }, _call, { views }) {
    const text = await views.getJson(VERIFICATION_RECORDS, slug);
    return text === undefined ? nothingAt('agent', slug) : { ok: true, data: new StoredJson(text) };
  },
});
