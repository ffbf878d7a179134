/** Puts messages into the delivery log and the queue. Their ids follow from the event, so that twice is once. */
import { idFrom, timeOf } from '../../../events/ids.ts';
import type { RecordedEvent } from '../../../events/event.ts';
import type { NotificationType } from '../../../events/webhook-events.ts';
import type { NewDelivery } from '../../ports/delivery-log.ts';
import type { Services } from '../services.ts';

export const DELIVER = 'deliver';

export interface Message {
  readonly accountId: string;
  /** Of an endpoint, or the account's own for a notifyUrl. */
  readonly endpointId: string;
  readonly url: string;
  readonly type: NotificationType;
  readonly jobId: string | null;
  readonly body: string;
  /** Tells messages apart that one event leads to at one address; absent where there is only one. */
  readonly part?: string;
}

/** What the task of a delivery holds: all that sending takes, so that nothing is looked up for it. */
export type DeliveryPayload = Pick<NewDelivery, 'id' | 'accountId' | 'endpointId' | 'url' | 'body'>;

type Posting = Pick<Services, 'queue' | 'deliveries'>;

export async function postLater(
  { queue, deliveries }: Posting,
  event: RecordedEvent,
  messages: readonly Message[],
): Promise<void> {
  if (messages.length === 0) return;
  const fresh = messages.map(({ part = '', ...message }): NewDelivery => ({
    ...message,
    // Not of the address: an endpoint that has moved between two tries is told the same, not the same twice.
    id: idFrom('delivery', event.at, `${event.id} ${message.endpointId}${part}`),
    eventId: event.id,
    createdAt: event.at,
  }));
  await deliveries.begin(fresh);
  const nowMs = Date.now();
  const tasks = fresh.map((delivery) => ({ ...taskOf(delivery), id: delivery.id, dueAtMs: nowMs }));
  await queue.add(tasks);
}

export interface TestMessage {
  readonly accountId: string;
  readonly endpointId: string;
  readonly url: string;
  readonly commandId: string;
  /** Now, RFC 3339. */
  readonly at: string;
}

/** Answers with the id of the delivery: the same for the same command, which sends it once. */
export async function postTest(
  { queue, deliveries }: Posting,
  { accountId, endpointId, url, commandId, at }: TestMessage,
): Promise<string> {
  // Of the endpoint's time, not of now: the same command again must find the delivery that it began.
  const id = idFrom('delivery', timeOf(endpointId), `test ${endpointId} ${commandId}`);
  const type = 'webhook_endpoint.test';
  const body = JSON.stringify({ type, timestamp: at, data: { endpointId } });
  const delivery = { id, accountId, endpointId, url, type, jobId: null, body, eventId: id, createdAt: at };
  await deliveries.begin([delivery]);
  await queue.add([{ ...taskOf(delivery), id, dueAtMs: Date.now() }]);
  return id;
}

/** The same message once more, under its own id, by which its receiver knows it; once for each command. */
export async function postAgain(
  { queue }: Pick<Posting, 'queue'>,
  delivery: NewDelivery,
  commandId: string,
): Promise<void> {
  const id = `${delivery.id}:${commandId}`;
  await queue.add([{ ...taskOf(delivery), id, dueAtMs: Date.now() }]);
}

function taskOf({ id, accountId, endpointId, url, body }: DeliveryPayload): {
  name: string;
  payload: string;
} {
  return { name: DELIVER, payload: JSON.stringify({ id, accountId, endpointId, url, body }) };
}
