/**
 * The place of a document in an order as one text. Every engine compares texts by their bytes, so that one index and
 * one comparison serve an order of any terms, and what follows a cursor is one range of it.
 */
import type { Keyset, OrderTerm } from '../../projections/view-store.ts';

const VALUE = '0';
/** Null comes last, whatever the direction. */
const NULL = '1';

const SMALLER = '0';
const LARGER = '1';
const HEX_DIGITS = 14;
/** Beyond every safe integer. */
const INTEGERS = 2 ** 53;

/** Ends a text before whatever could follow in a longer one: a zero inside is escaped. */
const END_ASCENDING = '\u0000\u0000';
/** Ends a text behind whatever could follow: the rest are hexadecimal digits. */
const END_DESCENDING = '~';

/**
 * @param place the values of the terms and then the key
 * @returns texts that sort as the places do, none of them empty
 */
export function sortKey(terms: readonly OrderTerm[], place: Keyset): string {
  const parts = terms.map((term, i) => {
    const value = place[i] ?? null;
    return value === null ? NULL : VALUE + encoded(term, value);
  });
  return `${parts.join('')}.${place[terms.length] ?? ''}`;
}

function encoded({ direction }: OrderTerm, value: string | number): string {
  if (typeof value === 'number') return integer(direction === 'asc' ? value : -value);
  return direction === 'asc' ? ascendingText(value) : descendingText(value);
}

function integer(value: number): string {
  return value < 0 ? SMALLER + hex(INTEGERS + value) : LARGER + hex(value);
}

function hex(value: number): string {
  return value.toString(16).padStart(HEX_DIGITS, '0');
}

function ascendingText(text: string): string {
  return text.replaceAll('\u0000', '\u0000\u0001') + END_ASCENDING;
}

function descendingText(text: string): string {
  const bytes = Buffer.from(text);
  for (let i = 0; i < bytes.length; i++) bytes[i] = 255 - (bytes[i] ?? 0);
  return bytes.toString('hex') + END_DESCENDING;
}
