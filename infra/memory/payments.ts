/** The Payments port of the local test checkout, where no money moves in either direction. */
import { type Payments, PaymentsUnavailable } from '../../src/ports/payments.ts';

export function createTestPayments(): Payments {
  return {
    async giveBack({ provider }) {
      if (provider !== 'test') throw new PaymentsUnavailable(`no ${provider} account is configured`);
    },
  };
}
