import { z } from 'zod';
import { CURRENT_METHODOLOGY, METHODOLOGIES } from '../../../projections/methodologies.ts';
import { methodologyDocument } from '../../../projections/methodology-document.ts';
import { defineOperation, StoredJson } from '../operation.ts';
import { exampleMethodology } from './example-market.ts';
import { digestNote, directoryRead, nothingAt, versionInput } from './fields.ts';

export const getMethodology = defineOperation({
  ...directoryRead,
  name: 'getMethodology',
  summary: 'The rules of verification: checks, weights, tiers, and how a score is computed.',
  description: `Earlier versions stay readable. ${digestNote}`,
  input: z.strictObject({ version: versionInput }),
  output: methodologyDocument,
  refusals: ['not_found'],
  example: { input: { version: exampleMethodology.version }, output: exampleMethodology },
  async run({ version }, _call, { views }) {
    const text = await views.getJson(METHODOLOGIES, version ?? CURRENT_METHODOLOGY);
    if (text === undefined) return nothingAt('methodology', version ?? 'yet');
    return { ok: true, data: new StoredJson(text) };
  },
});
