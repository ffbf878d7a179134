/** The rows of a source, in groups: one by one through async iterators would cost more than the rows themselves. */
import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { namesTwice } from './names-twice.ts';
import { splitArray } from './split-array.ts';
import { splitLines } from './split-lines.ts';
import { MAX_FIELDS, MAX_ROW_BYTES, type RowFormat, type SourceRow, UnreadableSource } from './source-row.ts';

/** @throws {UnreadableSource} the source as a whole is no such file */
export function readRows(
  bytes: AsyncIterable<Uint8Array>,
  format: RowFormat,
): AsyncGenerator<readonly SourceRow[], void> {
  switch (format) {
    case 'jsonl':
      return readJsonLines(bytes);
    case 'json':
      return readJsonArray(bytes);
    case 'csv':
      return readCsv(bytes);
  }
}

async function* readJsonLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<readonly SourceRow[], void> {
  let line = 0;
  for await (const lines of splitLines(bytes)) {
    const rows: SourceRow[] = [];
    for (const text of lines) {
      line += 1;
      const row = text === null ? tooLong(line) : readObject(text, line);
      if (row !== null) rows.push(row);
    }
    yield rows;
  }
}

async function* readJsonArray(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<readonly SourceRow[], void> {
  for await (const elements of splitArray(bytes)) {
    yield elements.map(({ line, bytes: text }) =>
      text === null ? tooLong(line) : (readObject(text, line) ?? { line, refusal: 'it is empty' }),
    );
  }
}

/** Null for an empty line. */
function readObject(bytes: Buffer, line: number): SourceRow | null {
  if (!isUtf8(bytes)) return { line, refusal: 'it is not UTF-8' };
  const whole = bytes.toString('utf8');
  // A byte order mark may stand before the first row.
  const text = whole.startsWith('\uFEFF') ? whole.slice(1) : whole;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text.trim() === '' ? null : { line, refusal: 'it is no JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { line, refusal: 'it is no JSON object' };
  if (namesTwice(text, value)) return { line, refusal: 'it names a member twice' };
  // An object of JSON has members by name.
  return { line, fields: value as Readonly<Record<string, unknown>> };
}

function tooLong(line: number): SourceRow {
  return { line, refusal: `it is longer than ${MAX_ROW_BYTES / 1_024} KiB` };
}

const CSV_GROUP_ROWS = 200;
const MAX_TOLD_CHARS = 100;

/** By RFC 4180, with a header; an empty cell is an absent field. */
async function* readCsv(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<readonly SourceRow[], void> {
  // Loaded only where there is CSV to read.
  const { CsvError, parse } = await import('csv-parse');
  let rows: SourceRow[] = [];
  const parser = parse({
    bom: true,
    columns: checkedHeader,
    info: true,
    skip_empty_lines: true,
    // Such a record is told and refused below. After any other error nobody knows where the next record begins.
    relax_column_count: true,
    max_record_size: MAX_ROW_BYTES,
  });
  const source = Readable.from(utf8Only(bytes));
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      rows.push(
        info.error === undefined
          ? { line: info.lines, fields: withoutEmpty(record) }
          : { line: info.lines, refusal: info.error.message },
      );
      if (rows.length < CSV_GROUP_ROWS) continue;
      yield rows;
      rows = [];
    }
  } catch (error) {
    if (error instanceof CsvError) throw new UnreadableSource(error.message, { cause: error });
    throw error;
  } finally {
    source.destroy();
  }
  yield rows;
}

/** As the parser gives it with `columns` and `info`. */
interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  /** `error` where it has other columns than the header. */
  readonly info: { readonly lines: number; readonly error?: Error };
}

function withoutEmpty(record: CsvRecord['record']): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(record).filter(([, cell]) => cell !== ''));
}

/** The same bytes. The parser would put U+FFFD for what is no UTF-8. @throws {UnreadableSource} */
async function* utf8Only(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const check = (chunk?: Uint8Array): void => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw new UnreadableSource('it is not UTF-8', { cause: error });
    }
  };
  for await (const chunk of bytes) {
    check(chunk);
    yield chunk;
  }
  check();
}

function checkedHeader(names: string[]): string[] {
  const beyond = names[MAX_FIELDS];
  if (beyond !== undefined) {
    const told = JSON.stringify(beyond.slice(0, MAX_TOLD_CHARS));
    throw new UnreadableSource(
      `its header has ${names.length} columns, of at most ${MAX_FIELDS}: column ${MAX_FIELDS + 1}, ${told}, is one too many`,
    );
  }
  const empty = names.findIndex((name) => name.trim() === '');
  if (empty !== -1) throw new UnreadableSource(`column ${empty + 1} of its header has no name`);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw new UnreadableSource(`its header names ${JSON.stringify(twice)} twice`);
  return names;
}
