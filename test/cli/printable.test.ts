import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { printable, printableJson, printableLines } from '../../src/logging/printable.ts';
import { BOURSE } from '../support/shipped-program.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

/** Moves the cursor, starts a command of the terminal (also as one byte), turns the writing round, ends the line, hides. */
const HOSTILE = [
  '\u001b[2J',
  '\u009b2J',
  '\u0007',
  '\r',
  '\u202e',
  '\u2066',
  '\u061c',
  '\u2028',
  '\u{e0041}',
];

describe('What a terminal is given', () => {
  it('shows what would act on it as its code point', () => {
    for (const text of HOSTILE) {
      expect(printable(`a${text}b`), JSON.stringify(text)).to.match(/^a\\u\{[0-9a-f]+\}(?:\[2J|2J)?b$/);
    }
    expect(printable('a\nb')).to.equal(String.raw`a\u{a}b`);
    expect(printableLines('a\nb\u001b')).to.equal('a\nb\\u{1b}');
  });

  it('shows every writing as it is', () => {
    for (const text of ['Überweisung', '請求書', 'فاتورة', 'חשבונית', '👩‍👩‍👧', 'क्‍ष'])
      expect(printable(text)).to.equal(text);
  });

  it('is JSON that says the same', () => {
    const value = { name: HOSTILE.join(' and '), list: ['a\nb'] };
    const json = printableJson(JSON.stringify(value, null, 2));
    expect(JSON.parse(json)).to.deep.equal(value);
    expect(json).to.match(/^[\x20-\x7e\n]*$/);
  });
});

describe('A command that is given a hostile file', () => {
  let folder: TempFolder;
  beforeEach(async () => void (folder = await tempFolder()));
  afterEach(() => folder.remove());

  const said = async (...args: readonly string[]): Promise<string> => {
    const env = { ...process.env, DATA_DIR: folder.file('data') };
    const run = promisify(execFile)(process.execPath, [BOURSE, ...args], { env });
    return run.then(
      ({ stdout }) => stdout,
      (error: { readonly stdout: string; readonly stderr: string }) => error.stdout + error.stderr,
    );
  };

  it('passes nothing of it on to the terminal', async () => {
    const file = folder.file('a\u001b[31m\u202e.yaml');
    expect(await said('publish', file)).to.include(String.raw`a\u{1b}[31m\u{202e}.yaml cannot be read`);
    await writeFile(file, 'agents: []\n"\\u001b[2J\\u202e": 1\n');
    const faults = await said('publish', file);
    expect(faults).to.include(String.raw`\u{1b}[2J\u{202e}: is not a known field`);
    for (const unsafe of ['\u001b', '\u202e']) expect(faults).to.not.include(unsafe);
  });
});
