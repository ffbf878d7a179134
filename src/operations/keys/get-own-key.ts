import { z } from 'zod';
import { slug } from '../../../events/common.ts';
import { idSchema } from '../../../events/ids.ts';
import { LogContradiction } from '../../../events/event-store.ts';
import { mandateOf } from '../mandates/get-mandate.ts';
import { describeMandate, exampleMandate, mandateSchema } from '../mandates/mandate-schema.ts';
import { defineOperation } from '../operation.ts';
import { describeKey, exampleKey, keySchema } from './key-schema.ts';
import { readKey } from './managed-key.ts';
import { accountsProjection } from '../../../projections/accounts.ts';
import { readView } from '../read-view.ts';
import type { Services } from '../services.ts';

const VIEW_PATIENCE_MS = 2_000;

export const getOwnKey = defineOperation({
  name: 'getOwnKey',
  summary: 'Who you are, what you may do, and what is left.',
  description:
    'Any key may ask, whatever its scopes. Key and mandate are folded from their own events, so that the answer is ' +
    'never behind a change or a spend. A frozen key is told so in place of an answer (403).',
  tag: 'keys',
  kind: 'query',
  scope: 'any_key',
  input: z.strictObject({}),
  output: z
    .strictObject({
      key: keySchema,
      account: z
        .strictObject({
          id: idSchema('account').meta({ description: 'Its id.', example: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy' }),
          handle: slug.nullable().meta({
            description: 'Its handle; null for a moment after it was opened.',
            example: 'acme-finance',
          }),
        })
        .meta({ description: 'The account that the key belongs to.' }),
      mandate: mandateSchema,
    })
    .meta({ id: 'OwnKey', description: 'The key that asks, its account, and what its mandate allows now.' }),
  refusals: [],
  example: {
    input: {},
    output: {
      key: exampleKey,
      account: { id: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy', handle: 'acme-finance' },
      mandate: exampleMandate,
    },
  },
  async run(_input, call, services) {
    const { keyId, accountId } = call.caller;
    const [key, handle, mandate] = await Promise.all([
      readKey(services, keyId),
      handleOf(services, accountId),
      mandateOf(services, call),
    ]);
    if (key === undefined) throw new LogContradiction(`the key ${keyId} works and is not there`);
    const data = {
      key: describeKey(key, call.at),
      account: { id: accountId, handle },
      mandate: describeMandate(mandate, call.at),
    };
    return { ok: true, data };
  },
});

/** Null where the account was closed, or the view of accounts has not heard of it in time. */
async function handleOf(
  { views, projector, events }: Pick<Services, 'views' | 'projector' | 'events'>,
  accountId: string,
): Promise<string | null> {
  const known = await readView(views, accountsProjection, accountId);
  if (known !== undefined) return known.handle;
  const head = await events.head();
  if (head !== null) await projector.reached(accountsProjection.name, head, VIEW_PATIENCE_MS);
  return (await readView(views, accountsProjection, accountId))?.handle ?? null;
}
