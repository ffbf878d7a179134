/** What the operators' operations on the directory have in common. */
import type { KeyedOperation } from '../../operation.ts';
import {
  type ChangeOperation,
  changeOperation,
  changeRefusals,
  type DirectoryChange,
} from '../writing/answer-change.ts';

export function operatorChange<Input>(
  described: Omit<ChangeOperation<Input>, 'tag' | 'scope' | 'refusals'>,
): KeyedOperation<Input, DirectoryChange> {
  return changeOperation({
    ...described,
    tag: 'operator',
    scope: 'operator:write',
    refusals: changeRefusals,
  });
}
