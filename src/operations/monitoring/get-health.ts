/** What monitoring asks first: whether the process answers. */
import { z } from 'zod';
import { defineOperation } from '../operation.ts';

export const getHealth = defineOperation({
  name: 'getHealth',
  summary: 'Whether the process answers.',
  description: 'Says nothing about what the process depends on: see `/readyz`.',
  tag: 'operations',
  kind: 'query',
  scope: null,
  input: z.strictObject({}),
  output: z
    .strictObject({ status: z.literal('ok').meta({ description: 'Always `ok`.', example: 'ok' }) })
    .meta({ id: 'Health', description: 'The process answers.' }),
  refusals: [],
  example: { input: {}, output: { status: 'ok' } },
  run: () => Promise.resolve({ ok: true, data: { status: 'ok' } }),
});
