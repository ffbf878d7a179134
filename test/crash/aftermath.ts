/** What must be so after all the crashes, read from the log itself and held against what the buyers wrote down. */
import { expect } from 'chai';
import { decodeEvent, type DomainEvent } from '../../events/catalog.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { OrderText } from '../../events/mandate-events.ts';
import { projections } from '../../projections/catalog.ts';
import type { Market } from '../../src/composition/app.ts';
import { replay } from '../../projections/replay.ts';
import { ofOrder } from '../../src/operations/private-texts/private-texts.ts';
import type { Services } from '../../src/operations/services.ts';
import { eventsOf, pagesUntil } from '../support/event-log.ts';
import { soundAudit } from '../support/run-commands.ts';
import { until } from '../support/until.ts';
import type { Buyer } from './buyer.ts';

/** Every spend has its job and every ended draft has given its spend back, in the request or by a reaction since. */
export async function reactionsAreDone(events: EventStore): Promise<void> {
  await until('every spend has its job, and every ended draft has given its spend back', async () => {
    const log = await wholeLog(events);
    const made = new Set(ofType(log, 'TrialDrafted').map(({ data }) => data.jobId));
    const released = new Set(ofType(log, 'SpendReleased').map(({ data }) => data.jobId));
    return (
      ofType(log, 'MandateSpent').every(({ data }) => made.has(data.order.jobId)) &&
      ofType(log, 'JobCancelled').every(({ data }) => released.has(data.jobId))
    );
  });
}

/** Each acknowledged spend and cancellation stands once, with its job; the cap held; nothing was tampered with. */
export async function ledgerIsTrue(
  { events, privateTexts }: Pick<Services, 'events' | 'privateTexts'>,
  buyers: readonly Buyer[],
): Promise<void> {
  const log = await wholeLog(events);
  const drafted = ofType(log, 'TrialDrafted').map(({ data }) => data.jobId);
  expect(drafted).to.have.length(new Set(drafted).size);
  const cancelled = new Set(ofType(log, 'JobCancelled').map(({ data }) => data.jobId));
  const spends = ofType(log, 'MandateSpent');

  for (const { mandateId, wishes } of buyers) {
    // Sums, caps, releases and the chain: nothing passed the cap, nothing was given back twice.
    await soundAudit(events, mandateId);
    const standing = spends.filter(({ streamId }) => streamId === `mandate-${mandateId}`);
    const jobOf = new Map<unknown, string>();
    for (const { data } of standing) {
      const { accountId, spendId, order } = data;
      const text = await privateTexts.read<OrderText>(accountId, ofOrder(spendId), order.text);
      jobOf.set(text?.metadata.wish, order.jobId);
    }
    expect(jobOf.size).to.equal(standing.length);
    for (const wish of wishes) {
      if (wish.spend === 'unknown') continue;
      const jobId = jobOf.get(wish.idempotencyKey);
      expect(jobId ?? null).to.equal(wish.spend === 'acknowledged' ? wish.jobId : null);
      if (wish.cancel === 'acknowledged') expect(cancelled).to.include(wish.jobId);
    }
  }
}

/** Document by document, the views say what a replay of the whole log says. */
export async function viewsEqualReplay({ services }: Pick<Market, 'services'>): Promise<void> {
  const { events, views, projector } = services;
  await projector.caughtUp();
  const log = await wholeLog(events);
  const statuses = await views.status();
  for (const projection of projections) {
    const documents = replay<unknown, DomainEvent>(projection, log);
    const status = statuses.find(({ view, live }) => live && view === projection.name);
    expect(status?.documents, projection.name).to.equal(documents.size);
    for (const [key, document] of documents) {
      const json = await views.getJson(projection.name, key);
      // As JSON, which knows no members without a value.
      expect(json === undefined ? undefined : JSON.parse(json)).to.deep.equal(
        JSON.parse(JSON.stringify(document)),
      );
    }
  }
}

async function wholeLog(events: EventStore): Promise<readonly DomainEvent[]> {
  const pages = await pagesUntil(events, { after: null }, (_events, page) => page.caughtUp);
  return eventsOf(pages).map(decodeEvent);
}

function ofType<T extends DomainEvent['type']>(
  log: readonly DomainEvent[],
  type: T,
): Extract<DomainEvent, { type: T }>[] {
  return log.filter((event): event is Extract<DomainEvent, { type: T }> => event.type === type);
}
