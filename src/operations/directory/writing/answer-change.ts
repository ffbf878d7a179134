/** How an operation answers that changed the directory: what it added, once the views show it. */
import { z } from 'zod';
import { AGENT_DIRECTORY } from '../../../../projections/agent-directory.ts';
import { commandCall } from '../../idempotency.ts';
import type { KeyedCall, KeyedOperation, Outcome } from '../../operation.ts';
import type { RefusalCode } from '../../refusals.ts';
import type { Services } from '../../services.ts';
import { liveExecutor } from './change-executor.ts';
import type { Change } from './changes.ts';

export const changeSchema = z
  .strictObject({
    events: z.array(z.string()).meta({
      description: 'What was added to the log; empty when all was so already.',
      example: ['AgentPublished', 'AgentScored'],
    }),
    position: z.string().nullable().meta({
      description: 'Where the log stands with it; null when nothing was added.',
      example: '0000000000000042',
    }),
  })
  .meta({ id: 'DirectoryChange', description: 'What a change of the directory came to.' });
export type DirectoryChange = z.output<typeof changeSchema>;

export const changeRefusals: readonly RefusalCode[] = [
  'invalid_request',
  'not_found',
  'conflict',
  'idempotency_mismatch',
];

/** What an operation that changes the directory says of itself. */
export type DescribedChange<Input> = Pick<
  KeyedOperation<Input, DirectoryChange>,
  'name' | 'summary' | 'description' | 'input' | 'example'
>;

/** The event by which something new is in the directory, and where that is. */
export interface Created {
  readonly by: string;
  readonly address: string;
}

/** Whoever writes reads their own write next; the views are rarely later than this. */
const VIEW_WAIT_MS = 2_000;

export async function answerChange(
  services: Services,
  call: KeyedCall,
  change: Change,
  created?: Created,
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
