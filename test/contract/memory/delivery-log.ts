/** The DeliveryLog port in this process's memory. */
import type { DeliveriesOf, Delivery, DeliveryLog } from '../../../src/ports/delivery-log.ts';

export function createMemoryDeliveryLog(): DeliveryLog {
  const deliveries = new Map<string, Delivery>();
  const failingSince = new Map<string, string>();
  const those = ({ accountId, endpointId }: DeliveriesOf): Delivery[] =>
    [...deliveries.values()].filter((one) => one.accountId === accountId && one.endpointId === endpointId);

  return {
    async begin(fresh) {
      for (const delivery of fresh) {
        if (deliveries.has(delivery.id)) continue;
        const nothing = { attempts: 0, lastAttemptAt: null, lastStatus: null, lastError: null };
        deliveries.set(delivery.id, {
          ...delivery,
          ...nothing,
          state: 'pending',
          nextAttemptAt: delivery.createdAt,
        });
      }
    },
    async record({ deliveryId, endpointId, at, isTried, status, error, state, nextAttemptAt }) {
      const known = deliveries.get(deliveryId);
      if (known !== undefined) {
        const tried = isTried ? { lastAttemptAt: at, attempts: known.attempts + 1 } : {};
        const last = { lastStatus: status, lastError: error, state, nextAttemptAt };
        deliveries.set(deliveryId, { ...known, ...last, ...tried });
      }
      if (!isTried) return null;
      if (state === 'delivered') failingSince.delete(endpointId);
      else if (!failingSince.has(endpointId)) failingSince.set(endpointId, at);
      return failingSince.get(endpointId) ?? null;
    },
    async get(id) {
      return deliveries.get(id) ?? null;
    },
    async list({ limit, after, ...of }) {
      return those(of)
        .sort((a, b) => compare(b, a))
        .filter((one) => after === undefined || compare(one, after) < 0)
        .slice(0, limit);
    },
    async count(of) {
      return those(of).length;
    },
    async prune(before) {
      for (const [id, { createdAt }] of deliveries) if (createdAt < before) deliveries.delete(id);
    },
  };
}

type Place = Pick<Delivery, 'createdAt' | 'id'>;

function compare(a: Place, b: Place): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
