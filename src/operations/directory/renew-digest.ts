import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { countField, textField } from '../../../projections/public-fields.ts';

export const renewDigest = defineOperation({
  name: 'renewDigest',
  summary: 'Make `/llms-full.txt` anew now.',
  description:
    'It is made at the first reading and every six hours by itself; this one does not wait. An Idempotency-Key is ' +
    'accepted and not remembered: nothing is kept, and each call makes it anew.',
  tag: 'operator',
  kind: 'command',
  scope: 'operator:write',
  input: z.strictObject({}),
  output: z
    .strictObject({
      madeAt: textField('When it was made.', '2026-11-27T09:30:00.000Z'),
      characters: countField('How long it is.', 24_000),
    })
    .meta({ id: 'RenewedDigest', description: 'The digest that was just made.' }),
  refusals: [],
  example: { input: {}, output: { madeAt: '2026-11-27T09:30:00.000Z', characters: 24_000 } },
  async run(_input, _call, { digest }) {
    const { text, madeAt } = await digest.renew();
    return { ok: true, data: { madeAt, characters: text.length } };
  },
});
