/** What the operators' operations on the directory have in common. */
import { defineOperation, type KeyedOperation } from '../../operation.ts';
import {
  answerChange,
  changeRefusals,
  changeSchema,
  type Created,
  type DescribedChange,
  type DirectoryChange,
} from '../writing/answer-change.ts';
import type { Change } from '../writing/changes.ts';

interface OperatorChange<Input> extends DescribedChange<Input> {
  readonly change: (input: Input) => Change;
  readonly created?: (input: Input) => Created;
}

export function operatorChange<Input>({
  change,
  created,
  ...described
}: OperatorChange<Input>): KeyedOperation<Input, DirectoryChange> {
  return defineOperation({
    ...described,
    tag: 'operator',
    kind: 'command',
    scope: 'operator:write',
    output: changeSchema,
    refusals: changeRefusals,
    run: (input, call, services) => answerChange(services, call, change(input), created?.(input)),
  });
}
