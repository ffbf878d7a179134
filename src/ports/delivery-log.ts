/** The port to what became of notifications: one entry for each message to each address, kept for a month. */

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface NewDelivery {
  /** `dlv_…`; what the receiver sees as `webhook-id`. */
  readonly id: string;
  readonly accountId: string;
  /** The endpoint it goes to; for a job's own `notifyUrl` the account's id. */
  readonly endpointId: string;
  /** What it tells of; of a test message, which tells of nothing, its own id. */
  readonly eventId: string;
  /** Such as `job.completed`. */
  readonly type: string;
  readonly jobId: string | null;
  readonly url: string;
  /** The message, exactly as it is sent and signed. */
  readonly body: string;
  /** RFC 3339. */
  readonly createdAt: string;
}

export interface Delivery extends NewDelivery {
  readonly state: DeliveryState;
  /** Those in which something was to be sent. */
  readonly attempts: number;
  readonly lastAttemptAt: string | null;
  /** The HTTP status of the last attempt; null where there was no answer. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly nextAttemptAt: string | null;
}

export interface Attempt {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly at: string;
  /** False where nothing was to be sent, as while the account is frozen: that says nothing of the endpoint. */
  readonly isTried: boolean;
  readonly status: number | null;
  readonly error: string | null;
  /** Pending where it will be tried again. */
  readonly state: DeliveryState;
  readonly nextAttemptAt: string | null;
}

/** The messages of one account to one endpoint. */
export interface DeliveriesOf {
  readonly accountId: string;
  readonly endpointId: string;
}

export interface DeliveryQuestion extends DeliveriesOf {
  readonly limit: number;
  /** Continue after this entry. */
  readonly after?: { readonly createdAt: string; readonly id: string };
}

export interface DeliveryLog {
  /** Entries for messages that are about to be sent; known ones are left as they are. */
  begin(deliveries: readonly NewDelivery[]): Promise<void>;
  /**
   * Answers with the first failure since the endpoint last took a message; null when this attempt succeeded, or tried
   * nothing.
   */
  record(attempt: Attempt): Promise<string | null>;
  get(id: string): Promise<Delivery | null>;
  /** The newest first. */
  list(question: DeliveryQuestion): Promise<readonly Delivery[]>;
  /** How many there are in all. */
  count(of: DeliveriesOf): Promise<number>;
  /** Forgets entries that were made before this. */
  prune(before: string): Promise<void>;
}
