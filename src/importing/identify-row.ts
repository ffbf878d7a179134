/**
 * The ids of rows. A source's own id is taken where it gives one. Otherwise the id is made of what names the row: its
 * address and name. Where a list has two such rows, the second one's is made of its source and category as well, and
 * both stay so however the list is ordered the next time, and wherever a third one stands.
 */
import { hash } from 'node:crypto';
import { orderedJson } from '../../events/canonical-json.ts';
import { rowId } from '../../events/data-set-events.ts';
import { byItself } from './by-itself.ts';

export type Identity =
  /** The source's own. */
  | { readonly kind: 'given'; readonly id: string }
  /** `id` unless another row has it, and then the exact one, which few rows need. */
  | {
      readonly kind: 'made';
      readonly id: string;
      readonly exact: () => string;
      readonly qualifier: () => string;
    }
  | { readonly kind: 'none'; readonly reason: string };

const MAX_QUALIFIER_CHARS = 100;

type Fields = Readonly<Record<string, unknown>>;

export function identify(fields: Fields, dataset: string): Identity {
  const isModel = dataset === 'models';
  const own = isModel ? fields['id'] : (fields['id'] ?? fields['externalId']);
  if (own !== undefined && own !== null && own !== '') return given(own);
  if (isModel) return { kind: 'none', reason: 'it has no id' };
  const { name, url, source, category } = fields;
  if (typeof name !== 'string' || name.trim() === '') return { kind: 'none', reason: 'it has no name' };
  return {
    kind: 'made',
    id: idOf([textOrNull(url), name]),
    exact: () => idOf([textOrNull(url), name, textOrNull(source), textOrNull(category)]),
    qualifier: () => qualifierOf(fields),
  };
}

/** What tells rows of one address and name apart, in at most 100 characters. */
export function qualifierOf({ source, category }: Fields): string {
  const text = JSON.stringify([textOrNull(source), textOrNull(category)]);
  return text.length > MAX_QUALIFIER_CHARS ? hash('sha256', text, 'hex') : text;
}

function given(own: unknown): Identity {
  const text = typeof own === 'number' ? String(own) : own;
  const parsed = rowId.safeParse(text);
  if (parsed.success) return { kind: 'given', id: parsed.data };
  return { kind: 'none', reason: `its id ${parsed.error.issues[0]?.message ?? 'cannot be used'}` };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** 80 bits: among a million rows two that are different share one with a chance of one in two million millions. */
const ID_DIGITS = 20;

function idOf(parts: readonly (string | null)[]): string {
  return byItself(`row_${hash('sha256', orderedJson(parts), 'hex').slice(0, ID_DIGITS)}`);
}
