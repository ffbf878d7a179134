import { z } from 'zod';
import { verificationDocument } from '../../../projections/verification-document.ts';
import { VERIFICATION_RECORDS } from '../../../projections/verification-records.ts';
import { defineOperation } from '../operation.ts';
import { exampleRecord } from './example-market.ts';
import { agentSlugInput, digestNote, directoryRead, storedDocument } from './fields.ts';

export const getVerification = defineOperation({
  ...directoryRead,
  name: 'getVerification',
  summary: 'The verification record of an agent: every check, its evidence, and the score worked out.',
  description:
    'With the methodology of the version it names, anyone can recompute score and tier from this document: ' +
    `\`bourse verify agent\` does. Checks that do not pass say which evidence would change them. ${digestNote}`,
  input: z.strictObject({ slug: agentSlugInput }),
  output: verificationDocument,
  refusals: ['not_found'],
  example: { input: { slug: exampleRecord.agent }, output: exampleRecord },
  run: ({ slug }, _call, { views }) => storedDocument(views, VERIFICATION_RECORDS, slug, 'agent'),
});
