/** How the pages say what documents hold. */
import type { AgentDocument } from '../../../projections/agent-document.ts';
import type { VerificationDocument } from '../../../projections/verification-document.ts';

export function money(cents: number): string {
  return `USD ${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** `27 November 2026`, in UTC. */
export function day(at: string): string {
  return DAY.format(new Date(at));
}

/** What one unit of the price pays for. */
export const PRICE_UNITS: Readonly<Record<AgentDocument['pricing']['model'], string>> = {
  free: 'free',
  per_task: 'a task',
  per_record: 'a record',
  per_hour: 'an hour',
  subscription: 'a month',
};

export const RESULTS: Readonly<Record<VerificationDocument['checks'][number]['result'], string>> = {
  pass: 'Pass',
  partial: 'Partial',
  fail: 'Fail',
  not_assessed: 'Not assessed',
  not_applicable: 'Does not apply',
};

/** Lower-case words joined by hyphens or underscores, as words. */
export function spoken(slug: string): string {
  return slug.replaceAll(/[-_]/g, ' ');
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `USD 49.00 a task`, or `free`. */
export function price({ model, amountCents }: AgentDocument['pricing']): string {
  return model === 'free' ? PRICE_UNITS.free : `${money(amountCents)} ${PRICE_UNITS[model]}`;
}
