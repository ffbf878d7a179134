/** Clients that generators of several languages make of the description, compiled as strictly as is usual there. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../support/served-market.ts';
import { type Client, needs, type Place, sh } from './client.ts';

const DESCRIPTION = join(projectRoot, 'openapi.json');
const GENERATOR = 'org.openapitools:openapi-generator-cli:7.17.0';

/** What it says of every document of OpenAPI 3.1, and of answers that are no JSON. */
const OF_THE_GENERATOR =
  /OpenAPI 3\.1 support is still in beta|Failed to get the schema name: null|ExamplesUtils|reserved word|Ignoring complex example|Codegen property is null/;

export const generatedClients: readonly Client[] = [
  {
    name: 'openapi-generator-go',
    async prepare(place) {
      await needs('go');
      await openApiGenerator(place, 'go', ['isGoSubmodule=false']);
      await sh(place.folder, 'go', ['mod', 'init', 'client']);
      await sh(join(place.folder, 'api'), 'rm', ['-rf', 'go.mod', 'go.sum', 'test']);
      await sh(place.folder, 'go', ['mod', 'tidy']);
      await sh(place.folder, 'go', ['vet', '.']);
    },
    run: ({ folder }, env) => sh(folder, 'go', ['run', '.'], env),
  },
  {
    name: 'openapi-generator-python',
    async prepare(place) {
      await openApiGenerator(place, 'python');
      await python(place, [join(place.folder, 'api')]);
    },
    run: ({ folder, shared }, env) => sh(folder, pythonIn(shared), ['-W', 'error', 'drive.py'], env),
  },
  {
    name: 'openapi-generator-typescript',
    async prepare(place) {
      await openApiGenerator(place, 'typescript-fetch');
      await npm(place, ['typescript@5.9.3', '@types/node@20']);
      const strict = ['--strict', '--noUncheckedIndexedAccess', '--target', 'es2022'];
      const modules = ['--module', 'commonjs', '--moduleResolution', 'node10', '--types', 'node'];
      await sh(place.folder, 'npx', ['tsc', ...strict, ...modules, '--outDir', 'out', 'drive.ts']);
    },
    run: ({ folder }, env) => sh(folder, 'node', ['out/drive.js'], env),
  },
];

async function openApiGenerator(
  { folder, shared }: Place,
  language: string,
  properties: readonly string[] = [],
): Promise<void> {
  await needs('java');
  await needs('mvn');
  const [group, artifact, version] = GENERATOR.split(':');
  const jar = join(shared, `${artifact}-${version}.jar`);
  await sh(shared, 'sh', [
    '-c',
    `[ -f ${jar} ] || mvn -q dependency:copy -Dartifact=${group}:${artifact}:${version} -DoutputDirectory=${shared}`,
  ]);
  const more = properties.length === 0 ? [] : [`--additional-properties=${properties.join(',')}`];
  const generate = [
    '-jar',
    jar,
    'generate',
    '-i',
    DESCRIPTION,
    '-g',
    language,
    '-o',
    join(folder, 'api'),
    ...more,
  ];
  const said = await sh(folder, 'java', generate);
  const warnings = said
    .split('\n')
    .filter((text) => / WARN | ERROR /.test(text) && !OF_THE_GENERATOR.test(text));
  if (warnings.length > 0) throw new Error(`the generator warns:\n${warnings.join('\n')}`);
}

async function npm({ folder }: Place, packages: readonly string[]): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{"private": true}\n');
  await sh(folder, 'npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages]);
}

export function pythonIn(shared: string): string {
  return join(shared, 'venv/bin/python');
}

/** Into one environment for all. */
export async function python({ shared }: Place, packages: readonly string[]): Promise<void> {
  await needs('python3');
  await mkdir(join(shared, 'venv'), { recursive: true });
  await sh(shared, 'sh', ['-c', '[ -x venv/bin/python ] || python3 -m venv venv']);
  await sh(shared, pythonIn(shared), [
    '-m',
    'pip',
    'install',
    '-q',
    '--disable-pip-version-check',
    ...packages,
  ]);
}
