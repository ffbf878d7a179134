/** One row of the Data API by its id, listed or retired lately, as it is stored. */
import { sha256Hex } from '../../../events/hash-chain.ts';
import { note } from '../../../events/texts.ts';
import type { DataRow } from '../../../projections/data-rows.ts';
import { isShown } from '../../../projections/retired-rows.ts';
import type { ViewStore } from '../../../projections/view-store.ts';
import { nothingAt } from '../directory/fields.ts';
import { type Outcome, StoredJson } from '../operation.ts';
import { REVISION_DIGITS } from '../list-page.ts';
import { parseDocument } from '../../../projections/stored-document.ts';

export const rowIdInput = (example: string) =>
  note(200).min(1, 'must not be empty').meta({
    description: 'Its id; slashes and colons may stand in the address as they are, or percent-encoded.',
    example,
  });

export async function getRow<Row>(
  views: ViewStore,
  view: string,
  what: string,
  id: string,
  at: string,
): Promise<Outcome<Row>> {
  const text = await views.getJson(view, id);
  if (text === undefined || isOver(text, at)) return nothingAt(what, id);
  return { ok: true, data: new StoredJson(text), revision: sha256Hex(text).slice(0, REVISION_DIGITS) };
}

/** Nearly all rows are listed, and need not be parsed to know it. */
function isOver(text: string, at: string): boolean {
  return text.includes('"status":"retired"') && !isShown(parseDocument<DataRow>(text), at);
}
