/** What the operators' operations on the directory have in common. */
import { changeRefusals, changeSchema } from '../writing/answer-change.ts';

export const operatorChange = {
  tag: 'operator',
  kind: 'command',
  scope: 'operator:write',
  output: changeSchema,
  refusals: changeRefusals,
} as const;
