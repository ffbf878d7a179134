/**
 * Reads the page that SQLite keeps last positions in (the table `sqlite_sequence`) without SQLite, which would read it
 * through the write-ahead log. A row is a name and an integer; the format is that of https://sqlite.org/fileformat.html.
 */

const LEAF_OF_TABLE = 0x0d;
const CELLS_AT = 3;
const POINTERS_AT = 8;
/** A text of n bytes has the type 13 + 2n. */
const TEXT_TYPE = 13;
/** How many bytes an integer of each type has. */
const INTEGER_BYTES: readonly number[] = [0, 1, 2, 3, 4, 6, 8, 0, 0];
const ZERO_TYPE = 8;
const ONE_TYPE = 9;

/** Null where the page is none of this kind, or has no such row. */
export function lastPositionIn(page: Buffer, table: string): number | null {
  try {
    if (page.readUInt8(0) !== LEAF_OF_TABLE) return null;
    const cells = page.readUInt16BE(CELLS_AT);
    for (let cell = 0; cell < cells; cell += 1) {
      const found = positionOf(page, page.readUInt16BE(POINTERS_AT + 2 * cell), table);
      if (found !== null) return found;
    }
    return null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** A cell: the size of its row, the rowid, and of the row its header's size, two types, the name, the position. */
function positionOf(page: Buffer, at: number, table: string): number | null {
  const afterSize = varintEnd(page, at);
  const row = varintEnd(page, afterSize);
  const nameType = page.readUInt8(row + 1);
  const type = page.readUInt8(row + 2);
  const name = row + page.readUInt8(row);
  const end = name + (nameType - TEXT_TYPE) / 2;
  if (nameType !== TEXT_TYPE + 2 * table.length || page.toString('latin1', name, end) !== table) return null;
  if (type === ZERO_TYPE || type === ONE_TYPE) return type - ZERO_TYPE;
  const bytes = INTEGER_BYTES[type] ?? 0;
  if (bytes === 0) return null;
  return bytes === 8 ? Number(page.readBigUInt64BE(end)) : page.readUIntBE(end, bytes);
}

function varintEnd(page: Buffer, at: number): number {
  let end = at;
  while (page.readUInt8(end) >= 0x80) end += 1;
  return end + 1;
}
