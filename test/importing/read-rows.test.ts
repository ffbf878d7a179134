import { expect } from 'chai';
import { readRows } from '../../src/importing/read-rows.ts';
import { type RowFormat, type SourceRow, UnreadableSource } from '../../src/importing/source-row.ts';
import { bytesOf } from './importing.ts';

/** The rows of a text, whatever the chunks that it comes in. */
async function read(text: string, format: RowFormat): Promise<SourceRow[]> {
  const outcomes = await Promise.all([1, 7, 1_000_000].map((size) => rowsOf(text, format, size)));
  expect(outcomes[1]).to.deep.equal(outcomes[0]);
  expect(outcomes[2]).to.deep.equal(outcomes[0]);
  return outcomes[0] ?? [];
}

function rowsOf(text: string, format: RowFormat, chunkBytes: number): Promise<SourceRow[]> {
  return rowsIn(Buffer.from(text), format, chunkBytes);
}

async function rowsIn(
  bytes: Uint8Array,
  format: RowFormat = 'csv',
  chunkBytes = 1_000,
): Promise<SourceRow[]> {
  const rows: SourceRow[] = [];
  for await (const group of readRows(bytesOf(bytes, chunkBytes), format)) rows.push(...group);
  return rows;
}

async function whyUnreadable(text: string, format: RowFormat): Promise<string> {
  try {
    await read(text, format);
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : 'thrown';
  }
  return 'readable';
}

describe('Lines of JSON', () => {
  it('are rows by their line, with and without a last line feed, a byte order mark and carriage returns', async () => {
    expect(await read('\uFEFF{"a":1}\r\n\n{"b":"é"}', 'jsonl')).to.deep.equal([
      { line: 1, fields: { a: 1 } },
      { line: 3, fields: { b: 'é' } },
    ]);
  });

  it('that are no UTF-8 are refused, and the others taken', async () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}\n{"b":1}\n')]);
    expect(await rowsIn(bytes, 'jsonl')).to.deep.equal([
      { line: 1, refusal: 'it is not UTF-8' },
      { line: 2, fields: { b: 1 } },
    ]);
  });

  it('that name a member twice are refused, at whatever depth, and the others taken', async () => {
    const odd = { a: { a: [{ '\\': ':"' }, { a: ':' }] } };
    const text = `{"a":1,"a":2}\n${JSON.stringify(odd)}\n{"a":[{"b":1,"\\u0062":2}]}\n`;
    expect(await read(text, 'jsonl')).to.deep.equal([
      { line: 1, refusal: 'it names a member twice' },
      { line: 2, fields: odd },
      { line: 3, refusal: 'it names a member twice' },
    ]);
  });

  it('are never kept longer than a row may be', async () => {
    const rows = await rowsOf(`{"a":"${'x'.repeat(300_000)}"}\n{"b":1}`, 'jsonl', 1_000);
    expect(rows).to.deep.equal([
      { line: 1, refusal: 'it is longer than 64 KiB' },
      { line: 2, fields: { b: 1 } },
    ]);
  });
});

describe('A JSON array', () => {
  const rows = [{ a: '] } , "\\ ' }, { b: [1, { c: ',' }] }, { d: 'é' }];
  it('is read element by element, alone or as the data of an object', async () => {
    const wanted = rows.map((fields) => ({ line: 1, fields }));
    expect(await read(JSON.stringify(rows), 'json')).to.deep.equal(wanted);
    expect(await read(JSON.stringify({ data: rows, more: [1] }), 'json')).to.deep.equal(wanted);
    const spaced = await read(`\uFEFF\n${JSON.stringify(rows, null, 2)}\n`, 'json');
    expect(spaced).to.deep.equal([
      { line: 3, fields: rows[0] },
      { line: 6, fields: rows[1] },
      { line: 14, fields: rows[2] },
    ]);
    expect(await read('[]', 'json')).to.deep.equal([]);
  });

  it('refuses elements that are no objects, and takes the others', async () => {
    expect(await read('[1, {"a":1}, "x", [2], null]', 'json')).to.deep.equal([
      { line: 1, refusal: 'it is no JSON object' },
      { line: 1, fields: { a: 1 } },
      { line: 1, refusal: 'it is no JSON object' },
      { line: 1, refusal: 'it is no JSON object' },
      { line: 1, refusal: 'it is no JSON object' },
    ]);
  });

  it('that is cut short or none at all is refused as a whole', async () => {
    expect(await whyUnreadable('[{"a":1},{"b"', 'json')).to.include('cut short');
    expect(await whyUnreadable('[{"a":1}', 'json')).to.include('cut short');
    expect(await whyUnreadable('<html>', 'json')).to.include('UnreadableSource');
    expect(await whyUnreadable('', 'json')).to.include('UnreadableSource');
  });

  it('that is followed by anything else than the end of its document is refused as a whole', async () => {
    for (const text of [
      '[{"a":1}] [{"b":1}]',
      '[{"a":1}]}',
      '{"data":[{"a":1}]',
      '{"data":[{"a":1}],"x":',
      '{"data":[{"a":1}]]',
      '{"data":[{"a":1}],}',
      '{"data":[{"a":1}],"x":tru}',
    ])
      expect(await whyUnreadable(text, 'json'), text).to.include('cut short or not one document');
    expect(await whyUnreadable('{"data":[{"a":1}],"x":[1]} \n', 'json')).to.equal('readable');
  });

  it('that names a member twice is refused: in a row that row, beside the rows as a whole', async () => {
    expect(await read('[{"a":1,"a":2},{"b":1}]', 'json')).to.deep.equal([
      { line: 1, refusal: 'it names a member twice' },
      { line: 1, fields: { b: 1 } },
    ]);
    for (const text of ['{"data":[{"a":1}],"data":[{"b":1}]}', '{"data":[],"x":{"y":1,"y":2}}'])
      expect(await whyUnreadable(text, 'json'), text).to.include('names a member twice');
  });

  it('with a comma beside no row is refused as a whole, with its line', async () => {
    for (const text of [
      '[{"a":1},\n]',
      '[\n,{"a":1}]',
      '[{"a":1},\n,{"b":1}]',
      '[\n,]',
      '{"data":[{"a":1}\n,]}',
    ])
      expect(await whyUnreadable(text, 'json'), text).to.include('a comma beside no row on line 2');
    const long = `[{"a":"${'x'.repeat(300_000)}"},]`;
    expect(await whyUnreadable(long, 'json')).to.include('a comma beside no row');
  });

  it('is followed by no more than fits', async () => {
    const text = `{"data":[],"x":"${'x'.repeat(1_100_000)}"}`;
    const error: unknown = await rowsOf(text, 'json', 50_000).catch((caught: unknown) => caught);
    expect(String(error)).to.include('followed by more than 1 MiB');
  });

  it('is never kept longer than a row may be', async () => {
    const text = `[{"a":"${'x'.repeat(300_000)}"},{"b":1}]`;
    expect(await rowsOf(text, 'json', 1_000)).to.deep.equal([
      { line: 1, refusal: 'it is longer than 64 KiB' },
      { line: 1, fields: { b: 1 } },
    ]);
  });
});

describe('CSV', () => {
  it('is read by its header; an empty cell is an absent field', async () => {
    expect(await read('\uFEFFname,url\r\n"A ""b"", c",\r\nD,"two\nlines"\r\n', 'csv')).to.deep.equal([
      { line: 2, fields: { name: 'A "b", c' } },
      { line: 4, fields: { name: 'D', url: 'two\nlines' } },
    ]);
  });

  it('refuses records with other columns than the header, and takes the others', async () => {
    const rows = await read('name,url\nA,1,2\nB,1\n', 'csv');
    expect(rows.map((row) => ('fields' in row ? row.fields : row.line))).to.deep.equal([
      2,
      { name: 'B', url: '1' },
    ]);
  });

  it('that is broken anywhere is refused as a whole: what stands after it cannot be told', async () => {
    expect(await whyUnreadable('name,url\nA,"1\nB,2\nC,3\n', 'csv')).to.include('UnreadableSource');
    expect(await whyUnreadable('name,url\nA,b"1\nB,2\n', 'csv')).to.include('UnreadableSource');
    const long = `name,url\n${'x'.repeat(70_000)},1\nB,2\n`;
    expect(await whyUnreadable(long, 'csv')).to.include('UnreadableSource');
  });

  it('that is no UTF-8 is refused as a whole', async () => {
    const latin = Buffer.from('name,url\nCaf\u00e9,1\nB,2\n', 'latin1');
    const cut = Buffer.from('name,url\nCaf\u00e9').subarray(0, -1);
    for (const bytes of [latin, cut]) {
      const error = await rowsIn(bytes).catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(UnreadableSource).with.property('message', 'it is not UTF-8');
    }
  });

  it('with a header that names nothing, or something twice, is refused as a whole', async () => {
    expect(await whyUnreadable('name,,url\nA,1,2\n', 'csv')).to.include('column 2');
    expect(await whyUnreadable('name,name\nA,1\n', 'csv')).to.include('twice');
  });

  it('with a header of more columns than a row may have fields is refused as a whole', async () => {
    const table = (count: number) =>
      `${Array.from({ length: count }, (_, n) => `c${n + 1}`).join(',')}\n1${','.repeat(count - 1)}\n`;
    expect(await read(table(200), 'csv')).to.deep.equal([{ line: 2, fields: { c1: '1' } }]);
    expect(await whyUnreadable(table(201), 'csv')).to.equal(
      'UnreadableSource: its header has 201 columns, of at most 200: column 201, "c201", is one too many',
    );
    const long = await whyUnreadable(`${'x,'.repeat(200)}${'y'.repeat(1_000)}\n`, 'csv');
    expect(long).to.include(`column 201, "${'y'.repeat(100)}", is`);
  });
});
