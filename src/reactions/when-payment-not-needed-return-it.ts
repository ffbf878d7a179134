/** Money that came for nothing, or for a job that was refunded, goes back: asked for at least once, given back once. */
import { jobDecider } from '../../commands/job/job.ts';
import type { JobPayment } from '../../commands/job/job-state.ts';
import type { DomainEvent } from '../../events/catalog.ts';
import { LogContradiction } from '../../events/event-store.ts';
import type { Services } from '../operations/services.ts';
import type { Reaction } from '../background/reactor.ts';

const NAME = 'when-payment-not-needed-return-it';

export function whenPaymentNotNeededReturnIt({
  commands,
  payments,
}: Pick<Services, 'commands' | 'payments'>): Reaction {
  async function paymentOf(event: DomainEvent): Promise<JobPayment | null> {
    if (event.type === 'SurplusPaymentReceived') return event.data.payment;
    if (event.type !== 'JobRefunded') return null;
    const { state: job } = await commands.load(jobDecider, event.data.jobId, event.at);
    if (job.status === 'absent')
      throw new LogContradiction(`${event.data.jobId} was refunded and is not there`);
    return job.payment;
  }

  return {
    name: NAME,
    types: ['JobRefunded', 'SurplusPaymentReceived'],
    async react(event) {
      const payment = await paymentOf(event);
      if (payment === null || !('jobId' in event.data)) return;
      await payments.giveBack(payment);
      const command = { type: 'RecordReturn', payment } as const;
      const outcome = await commands.run(jobDecider, event.data.jobId, command, {
        at: event.at,
        actor: `reaction:${NAME}`,
        requestId: event.meta.requestId,
        commandId: `return:${payment.provider}:${payment.reference}`,
        causationId: event.id,
      });
      if (outcome.kind === 'rejected')
        throw new LogContradiction(`${event.data.jobId} was paid and is not there`);
    },
  };
}
