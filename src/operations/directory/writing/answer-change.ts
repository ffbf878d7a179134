/** Operations that change the directory: what they have in common, and that they answer once the views show it. */
import { z } from 'zod';
import { AGENT_DIRECTORY } from '../../../../projections/agent-directory.ts';
import { commandCall } from '../../idempotency.ts';
import { defineOperation, type KeyedCall, type KeyedOperation, type Outcome } from '../../operation.ts';
import type { RefusalCode } from '../../refusals.ts';
import type { Services } from '../../services.ts';
import { liveExecutor } from './change-executor.ts';
import type { Change } from './changes.ts';
import { nullableTextField, textsField } from '../../../../projections/public-fields.ts';

const changeSchema = z
  .strictObject({
    events: textsField('What was added to the log; empty when all was so already.', [
      'AgentPublished',
      'AgentScored',
    ]),
    position: nullableTextField(
      'Where the log stands with it; null when nothing was added.',
      '0000000000000042',
    ),
  })
  .meta({ id: 'DirectoryChange', description: 'What a change of the directory came to.' });
export type DirectoryChange = z.output<typeof changeSchema>;

export const changeRefusals: readonly RefusalCode[] = [
  'invalid_request',
  'not_found',
  'conflict',
  'idempotency_mismatch',
];

/** The event by which something new is in the directory, and where that is. */
interface Created {
  readonly by: string;
  readonly address: string;
}

/** What an operation that changes the directory says of itself: the change, and who may make it. */
export interface ChangeOperation<Input> extends Pick<
  KeyedOperation<Input, DirectoryChange>,
  'name' | 'summary' | 'description' | 'input' | 'example' | 'tag' | 'scope' | 'refusals'
> {
  readonly change: (input: Input, call: KeyedCall, services: Services) => Change;
  readonly created?: (input: Input) => Created;
}

export function changeOperation<Input>({
  change,
  created,
  ...described
}: ChangeOperation<Input>): KeyedOperation<Input, DirectoryChange> {
  return defineOperation({
    ...described,
    kind: 'command',
    output: changeSchema,
    run: (input, call, services) =>
      answerChange(services, call, change(input, call, services), created?.(input)),
  });
}

/** One that operators may make. */
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

/** Whoever writes reads their own write next; the views are rarely later than this. */
const VIEW_WAIT_MS = 2_000;

async function answerChange(
  services: Services,
  call: KeyedCall,
  change: Change,
  created: Created | undefined,
): Promise<Outcome<DirectoryChange>> {
  const result = await change(liveExecutor(services.commands, commandCall(call)));
  if (!result.ok) return result;
  const { position, replayed } = result;
  if (position !== null) await services.projector.reached(AGENT_DIRECTORY, position, VIEW_WAIT_MS);
  const events = [...result.events];
  const isNew = created !== undefined && events.includes(created.by);
  return {
    ok: true,
    data: { events, position },
    replayed,
    ...(isNew ? { created: created.address } : {}),
  };
}

export function exampleChange(...events: string[]): DirectoryChange {
  return { events, position: '0000000000000042' };
}
