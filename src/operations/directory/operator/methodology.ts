import { exampleOf } from '../../../../events/catalog.ts';
import { z } from 'zod';
import { methodologySchema } from '../../../../events/methodology-events.ts';
import { methodologyDocument } from '../../../../projections/methodology-document.ts';
import { exampleChange, operatorChange } from '../writing/answer-change.ts';
import * as changes from '../writing/changes.ts';

const { publishedAt: _publishedAt, digest: _digest, ...described } = methodologyDocument.shape;

export const publishMethodology = operatorChange({
  name: 'publishMethodology',
  summary: 'Put a new version of the methodology into force.',
  description: 'Every agent is scored anew by it, one event each. A version never changes once published.',
  // Described as the document is; what the fact's own schema asks beyond that is checked after.
  input: z.strictObject(described).superRefine((methodology, context) => {
    for (const { path, message } of methodologySchema.safeParse(methodology).error?.issues ?? []) {
      context.addIssue({ code: 'custom', path, message });
    }
  }),
  example: {
    input: exampleOf('MethodologyPublished').methodology,
    output: exampleChange('MethodologyPublished'),
  },
  change: (methodology) => changes.publishMethodology(methodology),
  created: (methodology) => ({
    by: 'MethodologyPublished',
    address: `/methodology?version=${methodology.version}`,
  }),
});
