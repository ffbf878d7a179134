import { parse } from 'csv-parse/sync';
import { expect } from 'chai';
import fc from 'fast-check';
import { csvRecord } from '../../src/exporting/csv.ts';
import { fileNameOf, readFileName, rowWriter } from '../../src/exporting/row-formats.ts';

describe('CSV', () => {
  it('is read back as it was written, by whoever knows RFC 4180', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 8 }), (cells) => {
        const safe = cells.map((cell) => `x${cell}`);
        expect(parse(csvRecord(safe), { relax_column_count: true })).to.deep.equal([safe]);
      }),
    );
  });

  it('guards what a spreadsheet would run, before it is quoted', () => {
    const guarded: [unknown, string][] = [
      ['=1+1', "'=1+1"],
      ['+SUM(A1)', "'+SUM(A1)"],
      ['-cmd', "'-cmd"],
      ['@here', "'@here"],
      ['\tx', "'\tx"],
      ['\rx', `"'\rx"`],
      ['=HYPERLINK("https://a.example","b, c")', `"'=HYPERLINK(""https://a.example"",""b, c"")"`],
      ['＝1+1', "'＝1+1"],
    ];
    for (const [cell, text] of guarded) expect(csvRecord([cell]), String(cell)).to.equal(`${text}\r\n`);
  });

  it('never guards numbers, nor what is no text', () => {
    const cells = [-1, -0.5, 1e21, '-12.50', '+3', true, null, undefined, { a: -1 }, ['=x'], 'a-b'];
    expect(csvRecord(cells)).to.equal(`-1,-0.5,1e+21,-12.50,+3,true,,,"{""a"":-1}","[""=x""]",a-b\r\n`);
  });

  it('has the same columns for every row, and what is beside them in the last', () => {
    const { head, write } = rowWriter('csv', ['id', 'name']);
    expect(head).to.equal('id,name,otherFields\r\n');
    expect(write('', { name: 'Lens', id: 'a' })).to.equal('a,Lens,\r\n');
    expect(write('', { id: 'a', z: 1, b: null })).to.equal('a,,"{""b"":null,""z"":1}"\r\n');
  });
});

describe('Names of exports', () => {
  it('stand for one data set and format each', () => {
    for (const dataset of ['tools', 'models', 'directory/mcp/servers'])
      for (const format of ['csv', 'jsonl', 'csv.gz', 'jsonl.gz'] as const)
        expect(readFileName(fileNameOf(dataset, format))).to.deep.equal({ dataset, format });
    for (const name of ['tools', 'tools.xml', 'tools.gz', '.csv', 'tools..csv', '../tools.csv'])
      expect(readFileName(name), name).to.equal(null);
  });
});
