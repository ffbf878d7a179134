/** What the documents say of the command line and of each other is so. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { Command } from 'commander';
import { bourseProgram } from '../../src/cli/program.ts';
import { projectRoot } from '../support/served-market.ts';

const INLINE = /`(?:npx )?bourse ((?:[^`\n]|\\`)+)`/g;
const LINK = /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g;
const OPTION = /(?<=\s)--[a-z-]+/g;

describe('The documents', () => {
  let pages: readonly { readonly name: string; readonly text: string }[];
  before(async () => {
    const docs = (await readdir(join(projectRoot, 'docs'))).filter((name) => name.endsWith('.md'));
    const names = ['README.md', ...docs.map((name) => `docs/${name}`)];
    pages = await Promise.all(
      names.map(async (name) => ({ name, text: await readFile(join(projectRoot, name), 'utf8') })),
    );
  });

  it('name commands and options that there are', () => {
    const wrong = pages.flatMap(({ name, text }) =>
      [...text.matchAll(INLINE)].flatMap(([whole, typed = '']) =>
        isKnown(bourseProgram(), typed) ? [] : [`${name}: ${whole}`],
      ),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('link to files that are in the repository, and to headings that they have', async () => {
    const wrong: string[] = [];
    for (const { name, text } of pages)
      for (const [whole, path = '', heading] of text.matchAll(LINK)) {
        const target = path === '' ? name : join(dirname(name), path);
        if (!existsSync(join(projectRoot, target))) wrong.push(`${name}: ${whole}`);
        else if (heading !== undefined && target.endsWith('.md')) {
          const headings = (await readFile(join(projectRoot, target), 'utf8')).match(/^#+ .*$/gm) ?? [];
          if (!headings.map(anchorOf).includes(heading)) wrong.push(`${name}: ${whole}`);
        }
      }
    expect(wrong).to.deep.equal([]);
  });
});

/** Alternatives are written with a bar between them: `key freeze|unfreeze`. */
function isKnown(program: Command, typed: string): boolean {
  let here = [program];
  for (const word of typed.split(/\s+/)) {
    const next = word
      .split('|')
      .flatMap((name) => here.flatMap(({ commands }) => commands.filter((one) => one.name() === name)));
    if (next.length === 0) break;
    here = next;
  }
  if (here.includes(program) && !typed.startsWith('-')) return false;
  const options = [...typed.matchAll(OPTION)].map(([option]) => option);
  return here.every((command) =>
    options.every((option) => option === '--help' || command.options.some(({ long }) => long === option)),
  );
}

/** As GitHub makes them. */
function anchorOf(heading: string): string {
  return heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
