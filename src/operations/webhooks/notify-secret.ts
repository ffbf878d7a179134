import { z } from 'zod';
import { notifySecretDecider } from '../../../commands/webhook/notify-secret.ts';
import { commandCall, idempotencyMismatch } from '../idempotency.ts';
import { defineOperation } from '../operation.ts';
import { webhookSecret } from '../standard-webhooks.ts';

export const issueNotifySecret = defineOperation({
  name: 'issueNotifySecret',
  summary: 'Get the secret that messages to the notifyUrl of your jobs are signed with.',
  description:
    'Shown in this answer alone. Asking again makes a new one; for a day messages are signed with both.',
  tag: 'webhooks',
  kind: 'command',
  scope: 'webhooks:manage',
  input: z.strictObject({}),
  output: z
    .strictObject({
      secret: z
        .string()
        .meta({ description: 'Shown once.', example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' }),
    })
    .meta({ id: 'NotifySecret', description: 'What messages to the notifyUrl of a job are signed with.' }),
  refusals: ['idempotency_mismatch'],
  example: { input: {}, output: { secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' } },
  async run(_input, call, { commands, signer }) {
    const { accountId } = call.caller;
    const command = { type: 'IssueNotifySecret', accountId } as const;
    const outcome = await commands.run(notifySecretDecider, accountId, command, commandCall(call));
    if (outcome.kind === 'mismatch') return idempotencyMismatch();
    const issued = outcome.kind === 'rejected' ? undefined : outcome.events[0];
    if (issued === undefined) throw new Error('a secret was issued without its event');
    const secret = webhookSecret(signer, 'webhook-secret', accountId, issued.data.secretVersion);
    return { ok: true, data: { secret }, replayed: outcome.kind === 'replayed' };
  },
});
