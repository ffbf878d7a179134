import { z } from 'zod';
import { notifySecretDecider } from '../../../commands/webhook/notify-secret.ts';
import { commandCall, idempotencyMismatch } from '../idempotency.ts';
import { defineOperation } from '../operation.ts';
import { webhookSecret } from '../standard-webhooks.ts';
import { tooManySecrets } from '../too-many.ts';
import { textField } from '../../../projections/public-fields.ts';

export const issueNotifySecret = defineOperation({
  name: 'issueNotifySecret',
  summary: 'Get the secret that messages to the notifyUrl of your jobs are signed with.',
  description:
    'Shown in this answer alone. Asking again makes a new one; each signs until a day after the next was made, and at ' +
    'most five at once.',
  tag: 'webhooks',
  kind: 'command',
  scope: 'webhooks:manage',
  input: z.strictObject({}),
  output: z
    .strictObject({
      secret: textField('Shown once.', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'),
    })
    .meta({ id: 'NotifySecret', description: 'What messages to the notifyUrl of a job are signed with.' }),
  refusals: ['conflict', 'idempotency_mismatch'],
  example: { input: {}, output: { secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' } },
  async run(_input, call, { commands, signer }) {
    const { accountId } = call.caller;
    const command = { type: 'IssueNotifySecret', accountId } as const;
    const outcome = await commands.run(notifySecretDecider, accountId, command, commandCall(call));
    if (outcome.kind === 'mismatch') return idempotencyMismatch();
    if (outcome.kind === 'rejected') return tooManySecrets(outcome.rejection);
    const [issued] = outcome.events;
    if (issued === undefined) throw new Error('a secret was issued without its event');
    const secret = webhookSecret(signer, 'webhook-secret', accountId, issued.data.secretVersion);
    return { ok: true, data: { secret }, replayed: outcome.kind === 'replayed' };
  },
});
