import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, posix } from 'node:path';
import { type Arrow, fileCycles, folderCycles } from './cycles.ts';
import { HOMES, MEMOS, PURE_CRYPTO, PURE_FOLDERS, ROOMS, TOOLS } from './house-rules.ts';
import { lineAt, readSource, type Source } from './source-text.ts';

export const ARCHITECTURE_RULES = [
  'arrow',
  'file-cycle',
  'folder-cycle',
  'package-allowed',
  'package-home',
  'package-declared',
  'pure-crypto',
  'pure-clock',
  'pure-state',
  'computed-import',
] as const;

export type ArchitectureRule = (typeof ARCHITECTURE_RULES)[number];

export interface Violation {
  readonly rule: ArchitectureRule;
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

interface Import {
  readonly specifier: string;
  readonly offset: number;
  /** What stands between `import` and `from`. */
  readonly clause: string;
}

const IMPORT =
  /\b(?:import|export)\s(?<clause>[^;"()]*?)\bfrom\s*"(?<from>\d+)"|\bimport\s*"(?<bare>\d+)"|\bimport\s*\(\s*(?:"(?<called>\d+)"\s*[,)]|(?<computed>[^)\s]))/g;
const CLOCK = /\bnew\s+Date\s*(?:\(\s*\)|(?![\w\s(]))|(?<!new\s+|[.\w])Date\s*\(/g;
/** What a module declares to be changed later: a variable, or a collection that starts empty. */
const STATE =
  /^(?:export\s+)?(?:let\s|var\s|const\s+\w+[^=\n]*=\s*(?:\[\s*\]|\{\s*\}|new\s+(?:Weak)?(?:Map|Set)\b[^(]*\(\s*\)|Buffer\.alloc))/gm;

/** An import of one of our own files. */
interface LocatedArrow extends Arrow {
  readonly line: number;
}

/** The folders of the house that hold code. */
const HOUSE = ['events', 'commands', 'projections', 'src', 'infra'];

/** Every breach of the house's rules in the sources under `root`; `packages` are the declared dependencies. */
export function scanHouse(root: string, packages: readonly string[]): Violation[] {
  const sources = HOUSE.flatMap((folder) =>
    sourceFiles(root, folder).map((file) => ({
      file,
      source: readSource(readFileSync(join(root, file), 'utf8')),
    })),
  );
  const files = new Set(sources.map(({ file }) => file));
  const arrows = sources
    .flatMap(({ file, source }) => arrowsOf(file, source))
    .filter(({ to }) => files.has(to));
  return [
    ...sources.flatMap(({ file, source }) => scanFile(file, source, packages)),
    ...fileCycles(arrows).map((arrow) => onCycle('file-cycle', arrow)),
    ...folderCycles(arrows).map((arrow) => onCycle('folder-cycle', arrow)),
  ];
}

function arrowsOf(file: string, source: Source): LocatedArrow[] {
  return importsOf(source)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier, offset }) => ({
      from: file,
      to: posix.join(posix.dirname(file), specifier),
      line: lineAt(source.code, offset),
    }));
}

function onCycle(rule: 'file-cycle' | 'folder-cycle', { from, to, line }: LocatedArrow): Violation {
  return { rule, file: from, line, message: `one comes back here from ${to}` };
}

/** Paths relative to `root`, with forward slashes. */
function sourceFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?ts$/.test(entry.name))
    .map((entry) => posix.relative(root, posix.join(entry.parentPath, entry.name)));
}

function scanFile(file: string, source: Source, packages: readonly string[]): Violation[] {
  const violations: Violation[] = [];
  const report = (rule: ArchitectureRule, offset: number, message: string): void => {
    violations.push({ rule, file, line: lineAt(source.code, offset), message });
  };
  for (const { specifier, offset, clause } of importsOf(source)) {
    if (specifier === '')
      report('computed-import', offset, 'name the module: the arrows cannot follow a computed import');
    else if (specifier.startsWith('.'))
      checkArrow(file, specifier, (message) => report('arrow', offset, message));
    else checkPackage(file, specifier, clause, packages, (rule, message) => report(rule, offset, message));
  }
  if (PURE_FOLDERS.includes(roomOf(file))) {
    for (const found of source.code.matchAll(CLOCK)) {
      report('pure-clock', found.index, 'pure folders take the time as an argument');
    }
    for (const found of MEMOS.includes(file) ? [] : source.code.matchAll(STATE)) {
      report('pure-state', found.index, 'modules of pure folders keep nothing from call to call');
    }
  }
  return violations;
}

function importsOf({ code, strings }: Source): Import[] {
  return [...code.matchAll(IMPORT)].map((found) => {
    const groups = found.groups ?? {};
    const index = groups['from'] ?? groups['bare'] ?? groups['called'];
    const specifier = index === undefined ? '' : (strings[Number(index)] ?? '');
    return { specifier, offset: found.index, clause: groups['clause'] ?? '*' };
  });
}

function checkArrow(file: string, specifier: string, report: (message: string) => void): void {
  const target = posix.join(posix.dirname(file), specifier);
  const room = roomOf(file);
  const allowed = [room, ...(ROOMS[room]?.imports ?? [])];
  if (!allowed.includes(roomOf(target)))
    report(`${room} may not import ${target}; it may import ${allowed.join(', ')}`);
}

function checkPackage(
  file: string,
  specifier: string,
  clause: string,
  packages: readonly string[],
  report: (rule: ArchitectureRule, message: string) => void,
): void {
  const room = roomOf(file);
  const name = packageOf(specifier);
  const allowed = ROOMS[room]?.packages;
  const home = HOMES[name];
  if (allowed && !allowed.includes(name)) report('package-allowed', `${room} may not import ${name}`);
  if (home && !isUnder(file, home)) report('package-home', `${name} is at home in ${home.join(', ')}`);
  const isKnown = name.startsWith('node:') || packages.includes(name) || isUnder(file, [TOOLS]);
  if (!isKnown) report('package-declared', `${name} is not among the dependencies of package.json`);
  if (PURE_FOLDERS.includes(room) && name === 'node:crypto' && !isPureCrypto(clause)) {
    report('pure-crypto', `of node:crypto, pure folders import ${PURE_CRYPTO.join(', ')} by name`);
  }
}

function isPureCrypto(clause: string): boolean {
  const names = /^\s*(?:type\s)?\s*\{(?<names>[^}]*)\}\s*$/.exec(clause)?.groups?.['names'];
  const imported = names?.split(',').map((name) => name.trim().split(/\s/)[0] ?? '');
  return imported?.every((name) => name === '' || name === 'type' || PURE_CRYPTO.includes(name)) ?? false;
}

function packageOf(specifier: string): string {
  if (builtinModules.includes(specifier)) return `node:${specifier}`;
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The room that a file is in: the longest path of the table that leads to it; empty outside the house. */
function roomOf(file: string): string {
  const found = Object.keys(ROOMS).filter((room) => isUnder(file, [room]));
  return found.reduce((longest, room) => (room.length > longest.length ? room : longest), '');
}

function isUnder(path: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}
