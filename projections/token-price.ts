/** Prices of tokens as decimal texts. They are shifted, never calculated with: a float would spoil them. */

/** What the upstream writes for a price that depends on where a request is routed to. */
export const DYNAMIC_PRICE = '-1';

const DECIMAL = /^(\d{1,15})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/;

/** The price of a million tokens, given that of one; null for what is no price. `0.0000003` gives `0.3`. */
export function perMillion(perToken: string): string | null {
  return shifted(perToken, 6);
}

/** The price of a token in whole millionths of a millionth of a dollar, rounded down, to compare with; null as above. */
export function pricePico(perToken: string): number | null {
  const text = shifted(perToken, 12);
  if (text === null) return null;
  const pico = Number(text.split('.')[0]);
  return Number.isSafeInteger(pico) ? pico : null;
}

/** The decimal with its point moved to the right, without zeros that say nothing. */
function shifted(decimal: string, places: number): string | null {
  const [, whole, fraction = '', exponent = '0'] = DECIMAL.exec(decimal) ?? [];
  if (whole === undefined) return null;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent) + places;
  const padded = point > 0 ? digits.padEnd(point, '0') : '0'.repeat(1 - point) + digits;
  const at = Math.max(point, 1);
  const left = padded.slice(0, at).replace(/^0+(?=\d)/, '');
  const right = padded.slice(at).replace(/0+$/, '');
  return right === '' ? left : `${left}.${right}`;
}
