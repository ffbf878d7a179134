/** Each secret that messages or posts are signed with counts until a day after the next one was issued. */
import { exampleOf } from '../../events/catalog.ts';
import { expect } from 'chai';
import { jobDecider } from '../../commands/job/job.ts';
import { MAX_SECRETS, secretsInForce, withSecret } from '../../commands/overlapping-secrets.ts';
import { notifySecretDecider } from '../../commands/webhook/notify-secret.ts';
import { webhookDecider } from '../../commands/webhook/webhook.ts';
import type { Occurred } from '../../events/event.ts';
import { type NotifySecretFact, type WebhookFact } from '../../events/webhook-events.ts';
import { scenarios } from '../support/given-when-then.ts';
import { jobId, jobIn } from '../support/sample-job.ts';

const hour = (count: number): string =>
  new Date(Date.parse('2026-11-27T00:00:00.000Z') + count * 3_600_000).toISOString();

describe('Secrets that overlap', () => {
  const versions = [0, 1, 2].reduce<ReturnType<typeof withSecret>>(
    (issued, hours) => withSecret(issued, hours + 1, hour(hours)),
    [],
  );

  it('all count within a day, the newest first, and each ends a day after the next one', () => {
    for (const [at, expected] of [
      [2, [3, 2, 1]],
      [24.99, [3, 2, 1]],
      [25, [3, 2]],
      [26, [3]],
      [10_000, [3]],
    ] as const)
      expect(secretsInForce(versions, hour(at)), `hour ${at}`).to.deep.equal(expected);
  });

  const added = exampleOf('WebhookEndpointAdded');
  const { endpointId, accountId } = added;
  const rotated = (secretVersion: number, at: string): Occurred<WebhookFact> => {
    return { type: 'WebhookSecretRotated', data: { endpointId, accountId, secretVersion }, at };
  };
  const shown = (secretVersion: number, at: string): Occurred<NotifySecretFact> => {
    return { type: 'NotifySecretIssued', data: { accountId, secretVersion }, at };
  };

  it('of an endpoint are five at once, and one more once the oldest has ended', () => {
    const history: readonly Occurred<WebhookFact>[] = [
      { type: 'WebhookEndpointAdded', data: added, at: hour(0) },
      ...[2, 3, 4, 5].map((version) => rotated(version, hour(version))),
    ];
    const given = scenarios(webhookDecider)(...history);
    const command = { type: 'RotateWebhookSecret' } as const;
    given.when(command, hour(25.9)).thenRejected({ kind: 'too_many_secrets', until: hour(26) });
    const { type, data } = rotated(6, hour(26)) as Extract<WebhookFact, { type: 'WebhookSecretRotated' }>;
    given.when(command, hour(26)).thenFacts({ type, data });
  });

  it('of an account are five at once', () => {
    const history = [1, 2, 3, 4, 5].map((version) => shown(version, hour(version)));
    const given = scenarios(notifySecretDecider);
    const command = { type: 'IssueNotifySecret', accountId } as const;
    given(...history)
      .when(command, hour(6))
      .thenRejected({ kind: 'too_many_secrets', until: hour(26) });
    given(...history.slice(0, MAX_SECRETS - 1))
      .when(command, hour(6))
      .thenFacts({ type: 'NotifySecretIssued', data: { accountId, secretVersion: MAX_SECRETS } });
  });

  it('of a job are five at once', () => {
    const issued = [1, 2, 3, 4, 5].map((secretVersion) => {
      return { type: 'RecordSecretIssued', data: { jobId, secretVersion }, at: hour(secretVersion) } as const;
    });
    scenarios(jobDecider)(...jobIn('running'), ...issued)
      .when({ type: 'IssueRecordSecret' }, hour(6))
      .thenRejected({ kind: 'too_many_secrets', until: hour(26) });
  });
});
