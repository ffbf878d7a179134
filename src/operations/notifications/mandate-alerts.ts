/** What an account is told of its mandates: that a threshold was reached, that a spend was denied. */
import { type AlertCommand, alertsDecider } from '../../../commands/alerts/alerts.ts';
import { mandateDecider } from '../../../commands/mandate/mandate.ts';
import type { GrantedMandate } from '../../../commands/mandate/mandate-state.ts';
import type { DomainEvent } from '../../../events/catalog.ts';
import { LogContradiction } from '../../../events/event-store.ts';
import type { NotificationType } from '../../../events/webhook-events.ts';
import type { Services } from '../services.ts';

export type MandateEvent = Extract<DomainEvent, { type: 'MandateSpent' | 'SpendDenied' }>;

export interface Alert {
  readonly accountId: string;
  readonly type: NotificationType;
  readonly body: string;
  /** One spend may reach two thresholds. */
  readonly part: string;
}

/**
 * What is to be told of the event: nothing where it was told before, of another event. The same event again yields the
 * same once more: whoever was interrupted goes on.
 * @param isWanted whether anybody of the account wants to be told of this type
 */
export async function alertsOf(
  { commands }: Pick<Services, 'commands'>,
  event: MandateEvent,
  isWanted: (accountId: string, type: NotificationType) => Promise<boolean>,
): Promise<readonly Alert[]> {
  return event.type === 'MandateSpent'
    ? thresholdAlerts({ commands }, event)
    : denialAlerts({ commands }, event, isWanted);
}

async function thresholdAlerts(
  services: Pick<Services, 'commands'>,
  event: Extract<MandateEvent, { type: 'MandateSpent' }>,
): Promise<readonly Alert[]> {
  const { reaches = [], accountId, keyId, period, spentThisPeriodCents } = event.data;
  const alerts: Alert[] = [];
  for (const percent of reaches) {
    const mandateId = event.streamId.slice('mandate-'.length);
    const state = await services.commands.loadAt(mandateDecider, mandateId, event.revision, event.at);
    const { maxMonthlyCents } = granted(state, mandateId).terms;
    const data = { mandateId, accountId, keyId, period, percent, maxMonthlyCents, spentThisPeriodCents };
    const isNew = await note(services, event, mandateId, { type: 'NoteThreshold', reached: data });
    if (isNew) alerts.push(alert(event, accountId, 'mandate.threshold', data, ` ${percent}`));
  }
  return alerts;
}

async function denialAlerts(
  services: Pick<Services, 'commands'>,
  event: Extract<MandateEvent, { type: 'SpendDenied' }>,
  isWanted: (accountId: string, type: NotificationType) => Promise<boolean>,
): Promise<readonly Alert[]> {
  const { mandateId, keyId } = event.data;
  const { state } = await services.commands.load(mandateDecider, mandateId, event.at);
  const { accountId } = granted(state, mandateId);
  if (!(await isWanted(accountId, 'mandate.denied'))) return [];
  const denied = { mandateId, accountId, keyId };
  const isNew = await note(services, event, mandateId, { type: 'NoteDenial', denied });
  return isNew ? [alert(event, accountId, 'mandate.denied', event.data)] : [];
}

/** Whether it is this event that the account is to be told of. */
async function note(
  { commands }: Pick<Services, 'commands'>,
  event: MandateEvent,
  mandateId: string,
  command: AlertCommand,
): Promise<boolean> {
  const what = command.type === 'NoteThreshold' ? String(command.reached.percent) : 'denied';
  const outcome = await commands.run(alertsDecider, mandateId, command, {
    at: event.at,
    actor: 'reaction:mandate-alerts',
    requestId: event.meta.requestId,
    commandId: `alert:${event.id}:${what}`,
    causationId: event.id,
  });
  return outcome.kind === 'replayed' || (outcome.kind === 'accepted' && outcome.events.length > 0);
}

function alert(
  { at }: MandateEvent,
  accountId: string,
  type: NotificationType,
  data: object,
  part = '',
): Alert {
  return { accountId, type, body: JSON.stringify({ type, timestamp: at, data }), part };
}

function granted(state: GrantedMandate | { readonly status: 'absent' }, mandateId: string): GrantedMandate {
  if (state.status === 'absent') throw new LogContradiction(`${mandateId} has an event and is not there`);
  return state;
}
