/** A page of rows as CSV: guards, columns and their order are those of an export. Each page begins with the header. */
import { sha256Hex } from '../../../events/hash-chain.ts';
import { contentTypeOf, fileNameOf, rowWriter } from '../../exporting/row-formats.ts';
import { type ListedPage, REVISION_DIGITS } from '../list-page.ts';
import { type Outcome, TextAnswer } from '../operation.ts';
import { parseDocument } from '../../../projections/stored-document.ts';

const FORMAT = 'csv';

/** @param page as it is listed as JSON, whose rows are as they are stored */
export function asCsv<Row>(
  page: ListedPage<Row>,
  dataset: string,
  columns: readonly string[],
): Outcome<Row[]> {
  if (!page.ok) return page;
  const { head, write } = rowWriter(FORMAT, columns);
  const rows = parseDocument<Readonly<Record<string, unknown>>[]>(page.data.text);
  const text = head + rows.map((row) => write('', row)).join('');
  const data = new TextAnswer(fileNameOf(dataset, FORMAT), contentTypeOf(FORMAT), text);
  // Its tag is another one than that of the JSON.
  return { ...page, data, revision: sha256Hex(`${page.revision} ${text}`).slice(0, REVISION_DIGITS) };
}
