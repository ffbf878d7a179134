/** What the documents say of the command line and of each other is so. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { Command } from 'commander';
import { bourseProgram } from '../../src/cli/program.ts';
import { projectRoot } from '../support/project-root.ts';

const FENCED = /^```sh\n([\s\S]*?)^```$/gm;
/** In a shell it stands where a command may: what follows it up to the end of that command are its words. */
const IN_SHELL = /(?:^|[;(]|\bdo|--|=\S*)\s*(?:npx )?bourse ((?:"[^"]*"|[^"|;)\n])+)/gm;
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
      typedIn(text).flatMap((typed) => (isKnown(bourseProgram(), typed) ? [] : [`${name}: ${typed}`])),
    );
    expect(wrong).to.deep.equal([]);
    const typed = pages.flatMap(({ text }) => typedIn(text));
    // One of each kind: in a sentence, in a block, in a substitution, after a setting, through another program.
    expect(typed.map((one) => one.trim())).to.include.members([
      'projections rebuild',
      'plan show demo-buyer',
      `key list --json`,
      'log check',
      'key create --help',
    ]);
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

describe('The threat model', () => {
  it('names tests and files that there are', async () => {
    const text = await readFile(join(projectRoot, 'docs/threat-model.md'), 'utf8');
    const named = [...text.matchAll(/(?<![\w/.-])(?:test|src)\/[\w./{},-]*[\w}]/g)].flatMap(([path]) =>
      namesOf(path),
    );
    expect(named).to.have.lengthOf.above(40);
    expect(named.filter((path) => !existsSync(join(projectRoot, path)))).to.deep.equal([]);
  });

  it('says of each line what holds it', async () => {
    const text = await readFile(join(projectRoot, 'docs/threat-model.md'), 'utf8');
    const lines = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Attacker'));
    expect(lines).to.have.lengthOf.above(25);
    expect(lines.filter((line) => !/test\/|: no test/.test(line))).to.deep.equal([]);
  });
});

/** `a/{b,c}.ts` is two. */
function namesOf(path: string): readonly string[] {
  const [, before, names = '', after] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? [];
  return before === undefined ? [path] : names.split(',').map((name) => before + name + after);
}

function typedIn(text: string): readonly string[] {
  const blocks = [...text.matchAll(FENCED)].map(([, block = '']) => block.replaceAll('\\\n', ' '));
  const inShell = blocks.flatMap((block) => [...block.matchAll(IN_SHELL)]);
  return [...text.matchAll(INLINE), ...inShell].map(([, typed = '']) => typed);
}

/** Alternatives are written with a bar between them: `key freeze|unfreeze`. */
function isKnown(program: Command, typed: string): boolean {
  let here = [program];
  for (const word of typed.split(/\s+/)) {
    const next = word
      .split('|')
      .flatMap((name) => here.flatMap(({ commands }) => commands.filter((one) => one.name() === name)));
    // It has none of that name: then it takes arguments, or there is no such command.
    if (next.length === 0) {
      if (/^[a-z]/.test(word) && here.some(({ commands }) => commands.length > 0)) return false;
      break;
    }
    here = next;
  }
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
