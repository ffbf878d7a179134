/** The port to whoever moves the money. */

export interface MadePayment {
  readonly provider: 'test' | 'stripe' | 'x402';
  /** The provider's name for the payment. */
  readonly reference: string;
  readonly amountCents: number;
}

export interface Payments {
  /**
   * Gives a payment back to whoever paid, whole. Asked again for the same payment it gives nothing more.
   * @throws {PaymentsUnavailable} nothing is known of it: ask again
   */
  giveBack(payment: MadePayment): Promise<void>;
}

/** The provider cannot be reached, or none is configured for this payment. */
export class PaymentsUnavailable extends Error {
  override readonly name = 'PaymentsUnavailable';
}
