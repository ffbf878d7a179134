import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What tells a newcomer where things are. */
const GUIDES = ['CONTRIBUTING.md', 'docs/architecture.md', 'docs/glossary.md', ...decisions()];
const PATH = /(?<![\w/.-])(?:src|infra|events|commands|projections|test|docs)\/[\w./<>*{},-]+/g;
/** Of a pattern, such as `when-<event>.ts`, no file has the name. */
const PATTERN = /[<>*{}]|NNN/;
const BARE_FILE = /`([\w-]+\.ts)`/g;
const FOLDERS = ['src', 'infra', 'events', 'commands', 'projections', 'test'];

describe('the guides to the code', () => {
  it('name no file and no folder that is not there', () => {
    const names = new Set(
      FOLDERS.flatMap((folder) => readdirSync(`${ROOT}${folder}`, { encoding: 'utf8', recursive: true })).map(
        (path) => basename(path),
      ),
    );

    const absent = GUIDES.flatMap((guide) => {
      const text = readFileSync(`${ROOT}${guide}`, 'utf8');
      const paths = [...text.matchAll(PATH)]
        .map(([path]) => path.replace(/[.,/-]+$/, ''))
        .filter((path) => !PATTERN.test(path) && !existsSync(`${ROOT}${path}`));
      const bare = [...text.matchAll(BARE_FILE)]
        .map(([, name = '']) => name)
        .filter((name) => !names.has(name));
      return [...paths, ...bare].map((path) => `${guide} names ${path}`);
    });

    expect(absent).to.deep.equal([]);
  });
});

function decisions(): string[] {
  return readdirSync(`${ROOT}docs/decisions`).map((name) => `docs/decisions/${name}`);
}
