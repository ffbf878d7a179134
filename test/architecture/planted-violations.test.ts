import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ARCHITECTURE_RULES, scanHouse } from './import-scanner.ts';
import { INNOCENT } from './innocent.ts';
import { PLANTED } from './planted.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DEPENDENCIES =
  'zod pino lru-cache express better-sqlite3 @modelcontextprotocol/sdk ioredis mongodb'.split(' ');

interface OxlintConfig {
  readonly rules: Record<string, unknown>;
  readonly overrides: readonly { readonly rules: Record<string, unknown> }[];
}

describe('the rules of the house fire', () => {
  let house = '';
  let reports: { rule: string; file: string }[] = [];

  before(async () => {
    house = await mkdtemp(join(tmpdir(), 'bourse-planted-'));
    for (const name of ['.oxlintrc.json', 'tsconfig.json', 'package.json'])
      await cp(join(ROOT, name), join(house, name));
    await symlink(join(ROOT, 'node_modules'), join(house, 'node_modules'));
    for (const { file, source } of [...PLANTED, ...INNOCENT]) {
      await mkdir(join(house, dirname(file)), { recursive: true });
      await writeFile(join(house, file), `${source}\n`);
    }
    reports = [...(await lint(house)), ...scanHouse(house, DEPENDENCIES)];
  });

  after(() => rm(house, { recursive: true }));

  for (const { rule, file } of PLANTED) {
    it(`${rule} reports ${file}`, () => {
      expect(rulesAgainst(file)).to.include(rule);
    });
  }

  for (const { file } of INNOCENT) {
    it(`nothing reports ${file}`, () => {
      expect(rulesAgainst(file)).to.deep.equal([]);
    });
  }

  it('every rule that we chose is planted', async () => {
    const { rules, overrides }: OxlintConfig = JSON.parse(
      await readFile(join(ROOT, '.oxlintrc.json'), 'utf8'),
    );
    const chosen = [rules, ...overrides.map((override) => override.rules)]
      .flatMap((set) => Object.entries(set))
      .filter(([, setting]) => setting !== 'off')
      .map(([rule]) => rule.replace('/', '(') + ')');

    const planted = PLANTED.map(({ rule }) => rule);

    expect(planted).to.include.members([...chosen, ...ARCHITECTURE_RULES]);
  });

  function rulesAgainst(file: string): string[] {
    return reports.filter((report) => report.file === file).map((report) => report.rule);
  }
});

/** One run of oxlint over the planted house, with the house's own configuration. */
function lint(cwd: string): Promise<{ rule: string; file: string }[]> {
  return new Promise((resolve, reject) => {
    execFile(
      join(ROOT, 'node_modules/.bin/oxlint'),
      ['--format', 'json'],
      { cwd },
      (error, stdout, stderr) => {
        if (error === null) return reject(new Error('oxlint found nothing'));
        try {
          const found: { diagnostics: { code?: string; filename: string }[] } = JSON.parse(stdout);
          resolve(found.diagnostics.map(({ code, filename }) => ({ rule: code ?? '', file: filename })));
        } catch {
          reject(new Error(`oxlint failed: ${stdout}${stderr}`));
        }
      },
    );
  });
}
