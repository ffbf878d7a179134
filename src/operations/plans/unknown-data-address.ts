import { z } from 'zod';
import { dataRead } from '../metering.ts';
import { defineOperation } from '../operation.ts';
import { refuse } from '../refusals.ts';

/** What is asked for under the Data API and is not there: it needs a key like the rest, and counts like the rest. */
export const unknownDataAddress = defineOperation({
  ...dataRead,
  name: 'unknownDataAddress',
  summary: 'Nothing is at this address.',
  description: 'Nothing was ever published at this address.',
  input: z.strictObject({}),
  output: z.null(),
  refusals: ['not_found'],
  example: { input: {}, output: null },
  run: async () => refuse('not_found', 'Nothing was ever published at this address.'),
});
