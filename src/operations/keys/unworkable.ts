/** Why a key that is asked for could never do what it is asked for: better said when it is made than found out later. */
import { agencyDecider } from '../../../commands/agency/agency.ts';
import { agentDecider } from '../../../commands/agent/agent.ts';
import type { MandateTerms } from '../../../events/mandate-events.ts';
import type { Detail } from '../refusals.ts';
import type { Services } from '../services.ts';

/** What there is to spend on: a mandate that allows anything else allows nothing. */
const SPENDING_ACTIONS = ['trial:create'] as const;

export interface WantedKey {
  readonly scopes: readonly string[];
  readonly agency: string | null;
  readonly expiresAt: string | null;
  readonly terms: MandateTerms;
}

/** Each with the field that is wrong, as the API names it; none for a key that can work. */
export async function unworkable(
  services: Pick<Services, 'commands'>,
  { scopes, agency, expiresAt, terms }: WantedKey,
  at: string,
): Promise<readonly Detail[]> {
  const { allowedAgencies, allowedAgents } = terms;
  const unknown = [
    ...(await missing(services, 'agency', 'agency', agency === null ? [] : [agency], at)),
    ...(await missing(services, 'agency', 'mandate.allowedAgencies', allowedAgencies ?? [], at)),
    ...(await missing(services, 'agent', 'mandate.allowedAgents', allowedAgents ?? [], at)),
  ];
  return [
    ...(scopes.length === 0 ? [{ path: 'scopes', message: 'must name at least one scope' }] : []),
    ...(scopes.includes('provider:fulfil') && agency === null
      ? [{ path: 'agency', message: 'must be named for a key with provider:fulfil' }]
      : []),
    ...over('expiresAt', expiresAt, at),
    ...over('mandate.expiresAt', terms.expiresAt, at),
    ...contradictions(terms),
    ...nothingToBuyWith(scopes, terms),
    ...unknown,
  ];
}

/** Of a change: what could not work before is no fault of it. @param before the key as it is */
export async function unworkableBy(
  services: Pick<Services, 'commands'>,
  before: WantedKey,
  wanted: WantedKey,
  at: string,
): Promise<readonly Detail[]> {
  const fieldErrors = await unworkable(services, wanted, at);
  if (fieldErrors.length === 0) return [];
  const old = await unworkable(services, before, at);
  return fieldErrors.filter(
    (one) => !old.some(({ path, message }) => path === one.path && message === one.message),
  );
}

function over(path: string, end: string | null, at: string): readonly Detail[] {
  return end !== null && end <= at ? [{ path, message: 'must be in the future', limit: at, value: end }] : [];
}

function contradictions(terms: MandateTerms): readonly Detail[] {
  const { allowedActions, maxPerTransactionCents, maxMonthlyCents, validFrom, expiresAt } = terms;
  const spends = maxPerTransactionCents > 0 || maxMonthlyCents > 0;
  const unknown = allowedActions.filter((action) => !SPENDING_ACTIONS.some((known) => known === action));
  return [
    ...unknown.map((action) => ({
      path: 'mandate.allowedActions',
      message: `${action} is not an action; there is ${SPENDING_ACTIONS.join(', ')}`,
    })),
    ...(spends && allowedActions.length === 0
      ? [{ path: 'mandate.allowedActions', message: 'must name an action: caps alone allow nothing' }]
      : []),
    ...(validFrom !== null && expiresAt !== null && expiresAt <= validFrom
      ? [{ path: 'mandate.expiresAt', message: 'must be after validFrom' }]
      : []),
  ];
}

/** Wrong actions, and caps without one, are said above. Some trials cost nothing: both caps may be 0. */
function nothingToBuyWith(scopes: readonly string[], terms: MandateTerms): readonly Detail[] {
  const { allowedActions, maxPerTransactionCents, maxMonthlyCents } = terms;
  if (!scopes.includes('trials:create')) return [];
  const spends = maxPerTransactionCents > 0 || maxMonthlyCents > 0;
  const message = 'must be more than 0 beside a cap that is';
  return [
    ...(allowedActions.length === 0 && !spends
      ? [{ path: 'mandate.allowedActions', message: 'must name trial:create for a key with trials:create' }]
      : []),
    ...(spends && maxPerTransactionCents === 0
      ? [{ path: 'mandate.maxPerTransactionCents', message, value: '0' }]
      : []),
    ...(spends && maxMonthlyCents === 0 ? [{ path: 'mandate.maxMonthlyCents', message, value: '0' }] : []),
  ];
}

/** Each name has a stream of its own, and a request has room for hundreds of names: a few are read at a time. */
const NAMES_AT_ONCE = 20;

async function missing(
  { commands }: Pick<Services, 'commands'>,
  what: 'agency' | 'agent',
  path: string,
  slugs: readonly string[],
  at: string,
): Promise<readonly Detail[]> {
  const isMissing = async (slug: string): Promise<boolean> => {
    const { state } =
      what === 'agency'
        ? await commands.load(agencyDecider, slug, at)
        : await commands.load(agentDecider, slug, at);
    return state.status === 'absent';
  };
  const distinct = [...new Set(slugs)];
  const fieldErrors: Detail[] = [];
  for (let i = 0; i < distinct.length; i += NAMES_AT_ONCE) {
    const some = distinct.slice(i, i + NAMES_AT_ONCE);
    const areMissing = await Promise.all(some.map(isMissing));
    const absent = some.filter((_, index) => areMissing[index]);
    fieldErrors.push(...absent.map((slug) => ({ path, message: `there is no ${what} ${slug}` })));
  }
  return fieldErrors;
}
