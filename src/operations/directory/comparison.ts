/** Documents of one shape, laid side by side field by field. */
import { z } from 'zod';
import { jsonValue } from '../../../events/common.ts';
import { orderedJson } from '../../../events/canonical-json.ts';
import { flagField, textField } from '../../../projections/public-fields.ts';

export const comparisonSchema = z
  .array(
    z.strictObject({
      field: textField('The field, with points between its parts.', 'verification.trustScore'),
      values: z
        .array(jsonValue)
        .meta({ description: 'One value for each agent; null where it has none.', example: [60, 83] }),
      differs: flagField('Whether the values are not all equal.', true),
    }),
  )
  .meta({ description: 'Every field with the value that each agent has.' });
export type Comparison = z.output<typeof comparisonSchema>;

type Json = Comparison[number]['values'][number];

export function comparisonOf(documents: readonly object[]): Comparison {
  const columns = documents.map((document) => new Map(leavesOf(document)));
  const fields = new Set(columns.flatMap((column) => [...column.keys()]));
  return [...fields].map((field) => {
    const values = columns.map((column) => column.get(field) ?? null);
    return { field, values, differs: new Set(values.map(orderedJson)).size > 1 };
  });
}

/** Lists count as one value each: side by side, half of one means nothing. */
function leavesOf(document: object, prefix = ''): [string, Json][] {
  return Object.entries(document).flatMap(([name, value]: [string, unknown]): [string, Json][] => {
    const field = `${prefix}${name}`;
    if (value === undefined) return [];
    const isBranch = value !== null && typeof value === 'object' && !Array.isArray(value);
    // Documents of the directory hold texts, numbers, booleans and lists of texts; anything else is a branch.
    return isBranch ? leavesOf(value, `${field}.`) : [[field, value as Json]];
  });
}
