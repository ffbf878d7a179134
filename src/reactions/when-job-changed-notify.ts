/** What happens to a job, and what its owner is to know of a mandate, is told at the addresses of its account and at the job's own, through the queue. */
import type { DomainEvent, EventType } from '../../events/catalog.ts';
import { LogContradiction } from '../../events/event-store.ts';
import type { NotificationType } from '../../events/webhook-events.ts';
import { accountEndpointsProjection } from '../../projections/account-endpoints.ts';
import { type JobDocument, jobsProjection } from '../../projections/jobs.ts';
import { ViewBehind } from '../../projections/view-store.ts';
import { endpointDisabledMessage, jobMessage, TOLD_OF } from '../operations/notifications/message.ts';
import { alertsOf, type MandateEvent } from '../operations/notifications/mandate-alerts.ts';
import { type Message, postLater } from '../operations/notifications/post-later.ts';
import { orderTextOf } from '../operations/jobs/order-text.ts';
import { jobAt } from '../operations/jobs/read-job.ts';
import { readView } from '../operations/read-view.ts';
import type { Services } from '../operations/services.ts';
import { endpointTextOf } from '../operations/notifications/endpoint-text.ts';
import type { Reaction } from '../background/reactor.ts';

type Notifying = Pick<
  Services,
  'commands' | 'events' | 'views' | 'privateTexts' | 'projector' | 'queue' | 'deliveries'
>;

/** For so long a try waits for the view; the reactor makes as many as it takes. */
const VIEW_PATIENCE_MS = 2_000;

export function whenJobChangedNotify(services: Notifying): Reaction {
  return {
    name: 'when-job-changed-notify',
    // The table is keyed by event types.
    types: [
      ...(Object.keys(TOLD_OF) as EventType[]),
      'WebhookEndpointDisabled',
      'MandateSpent',
      'SpendDenied',
      'QuotaThresholdCrossed',
    ],
    fillsQueue: true,
    async react(event) {
      // Hardly any of them is told of.
      if (event.type === 'MandateSpent' && event.data.reaches === undefined) return;
      const { name } = accountEndpointsProjection;
      // An address that was added right before the event is to be told of it, whatever has become of the projector.
      if (!(await services.projector.reached(name, event.position, VIEW_PATIENCE_MS)))
        throw new ViewBehind(name);
      await postLater(services, event, await messagesOf(services, event));
    },
  };
}

async function messagesOf(services: Notifying, event: DomainEvent): Promise<readonly Message[]> {
  if (event.type === 'WebhookEndpointDisabled') {
    const body = endpointDisabledMessage(event, event.data);
    const { accountId } = event.data;
    return toldEverywhere(services, { accountId, type: 'webhook_endpoint.disabled', jobId: null, body });
  }
  if (event.type === 'MandateSpent' || event.type === 'SpendDenied') return toldOfMandate(services, event);
  if (event.type === 'QuotaThresholdCrossed') {
    const type = 'quota.threshold';
    const body = JSON.stringify({ type, timestamp: event.at, data: event.data });
    return toldEverywhere(services, { accountId: event.data.accountId, type, jobId: null, body });
  }
  const type = event.type in TOLD_OF ? TOLD_OF[event.type] : undefined;
  if (type === undefined || !('jobId' in event.data)) return [];
  const { jobId } = event.data;
  const owner = await ownerOf(services, event, jobId);
  const endpoints = owner === undefined ? null : await endpointsOf(services, owner.accountId, type);
  // Most jobs have nobody to tell: nothing is put together for them.
  if (owner?.hasNotifyUrl === false && endpoints?.length === 0) return [];
  const job = await jobAt(services, jobId, event.revision);
  if (job === undefined) throw new LogContradiction(`${jobId} has an event and is not there`);
  const { accountId } = job;
  // Null: the account's key was erased, and with it all its addresses.
  const text = await orderTextOf(job, services);
  const { notifyUrl = null, metadata = {} } = text ?? {};
  const told = { accountId, type, jobId, body: jobMessage(type, event, job, metadata) };
  const messages = toEach(endpoints ?? (await endpointsOf(services, accountId, type)), told);
  return notifyUrl === null ? messages : [...messages, { ...told, endpointId: accountId, url: notifyUrl }];
}

type Owner = Pick<JobDocument, 'accountId' | 'hasNotifyUrl'>;

/** Whose job it is; undefined where no view knows it yet. */
async function ownerOf(
  { views }: Pick<Services, 'views'>,
  event: DomainEvent,
  jobId: string,
): Promise<Owner | undefined> {
  // It says so itself, and there are as many of it as spends.
  return event.type === 'TrialDrafted' ? event.data : readView(views, jobsProjection, jobId);
}

async function toldOfMandate(services: Notifying, event: MandateEvent): Promise<readonly Message[]> {
  const isWanted = async (accountId: string, type: NotificationType): Promise<boolean> =>
    (await endpointsOf(services, accountId, type)).length > 0;
  const alerts = await alertsOf(services, event, isWanted);
  const messages = alerts.map((alert) => toldEverywhere(services, { ...alert, jobId: null }));
  return (await Promise.all(messages)).flat();
}

type Told = Omit<Message, 'endpointId' | 'url'>;

async function toldEverywhere(services: Notifying, told: Told): Promise<readonly Message[]> {
  return toEach(await endpointsOf(services, told.accountId, told.type), told);
}

function toEach(endpoints: readonly Listening[], told: Told): readonly Message[] {
  return endpoints.map((endpoint) => ({ ...told, ...endpoint }));
}

interface Listening {
  readonly endpointId: string;
  readonly url: string;
}

async function endpointsOf(
  { views, privateTexts }: Pick<Services, 'views' | 'privateTexts'>,
  accountId: string,
  type: NotificationType,
): Promise<readonly Listening[]> {
  const account = await readView(views, accountEndpointsProjection, accountId);
  const listening: Listening[] = [];
  for (const { endpointId, isEnabled, types, text } of account?.endpoints ?? []) {
    if (!isEnabled || !(types === null || types.includes(type))) continue;
    const known = await endpointTextOf({ accountId, endpointId, text }, { privateTexts });
    if (known !== null) listening.push({ endpointId, url: known.url });
  }
  return listening;
}
