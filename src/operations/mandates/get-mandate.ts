import { z } from 'zod';
import { mandateDecider } from '../../../commands/mandate/mandate.ts';
import type { GrantedMandate } from '../../../commands/mandate/mandate-state.ts';
import { LogContradiction } from '../../../events/event-store.ts';
import { defineOperation, type KeyedCall } from '../operation.ts';
import type { Services } from '../services.ts';
import { describeMandate, exampleMandate, mandateSchema } from './mandate-schema.ts';

export const getMandate = defineOperation({
  name: 'getMandate',
  summary: 'What your key’s mandate allows now.',
  description: 'Folded from the mandate’s own events, so that it is never behind a spend.',
  tag: 'mandates',
  kind: 'query',
  scope: 'mandate:read',
  input: z.strictObject({}),
  output: mandateSchema,
  refusals: [],
  example: { input: {}, output: exampleMandate },
  async run(_input, call, services) {
    const mandate = await mandateOf(services, call);
    return { ok: true, data: describeMandate(mandate, call.at) };
  },
});

/** The mandate of the caller's key: every key has one. */
export async function mandateOf(
  { commands }: Pick<Services, 'commands'>,
  { caller, at }: KeyedCall,
): Promise<GrantedMandate> {
  const { state } = await commands.load(mandateDecider, caller.mandateId, at);
  if (state.status === 'absent') throw new LogContradiction(`the mandate of ${caller.keyId} is not there`);
  return state;
}
