/** Clients that generators of several languages make of the description, compiled as strictly as is usual there. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../support/project-root.ts';
import { type Client, needs, type Place, sh } from './client.ts';

const DESCRIPTION = join(projectRoot, 'openapi.json');
const DATA_DESCRIPTION = join(projectRoot, 'openapi.data.json');
const GENERATOR = 'org.openapitools:openapi-generator-cli:7.17.0';

/** What it says of every document of OpenAPI 3.1, and of answers that are no JSON. */
const OF_THE_GENERATOR =
  /OpenAPI 3\.1 support is still in beta|Failed to get the schema name: null|ExamplesUtils|reserved word|Ignoring complex example|Codegen property is null/;

const TYPESCRIPT = ['typescript@5.9.3', '@types/node@20'];
const JAVA_CLASSES = 'api/target/classes:api/target/dependency/*';

export const generatedClients: readonly Client[] = [
  {
    name: 'openapi-generator-go',
    async prepare(place) {
      await openApiGenerator(place, 'go', ['isGoSubmodule=false']);
      await sh(join(place.folder, 'api'), 'rm', ['-rf', 'go.mod', 'go.sum', 'test']);
      await goModule(place);
      await goVet(place);
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
      await npm(place, TYPESCRIPT);
      await tsc(place, COMMON_JS);
    },
    run: ({ folder }, env) => sh(folder, 'node', ['out/drive.js'], env),
  },
  {
    name: 'openapi-generator-java',
    async prepare(place) {
      // `wait` is a method that every Java object has.
      const unlikeJava = ['--parameter-name-mappings', 'wait=waitSeconds'];
      await openApiGenerator(place, 'java', ['useSingleRequestParameter=true'], unlikeJava);
      const goals = ['compile', 'dependency:copy-dependencies', '-DincludeScope=runtime'];
      await sh(join(place.folder, 'api'), 'mvn', ['-q', '-B', ...goals]);
      const strict = ['-Xlint:all', '-Werror', '-proc:none'];
      await sh(place.folder, 'javac', [...strict, '-cp', JAVA_CLASSES, '-d', 'out', 'Drive.java']);
    },
    run: ({ folder }, env) => sh(folder, 'java', ['-cp', `out:${JAVA_CLASSES}`, 'Drive'], env),
  },
  {
    // There is no .NET to compile it with: that nothing is warned of is all that is proven.
    name: 'openapi-generator-csharp',
    prepare: (place) => openApiGenerator(place, 'csharp'),
    run: async () => 'generated, not compiled',
  },
  {
    name: 'openapi-fetch',
    async prepare(place) {
      await npm(place, ['openapi-fetch@0.17.0', 'openapi-typescript@7.13.0', ...TYPESCRIPT]);
      await sh(place.folder, 'npm', ['pkg', 'set', 'type=module']);
      await sh(place.folder, 'npx', ['openapi-typescript', DESCRIPTION, '-o', 'schema.d.ts']);
      await tsc(place, ESM);
    },
    run: ({ folder }, env) => sh(folder, 'node', ['out/drive.js'], env),
  },
  {
    name: 'hey-api',
    async prepare(place) {
      await npm(place, ['@hey-api/openapi-ts@0.99.0', ...TYPESCRIPT]);
      await sh(place.folder, 'npx', ['openapi-ts', '-i', DESCRIPTION, '-o', 'made']);
      await tsc(place, COMMON_JS);
    },
    run: ({ folder }, env) => sh(folder, 'node', ['out/drive.js'], env),
  },
  {
    name: 'openapi-python-client',
    async prepare(place) {
      await python(place, ['openapi-python-client==0.29.1']);
      const generate = ['generate', '--path', DESCRIPTION, '--config', 'config.yml', '--meta', 'none'];
      const args = [...generate, '--output-path', 'made', '--fail-on-warning'];
      await sh(place.folder, join(place.shared, 'venv/bin/openapi-python-client'), args);
    },
    run: ({ folder, shared }, env) => sh(folder, pythonIn(shared), ['-W', 'error', 'drive.py'], env),
  },
  {
    name: 'oapi-codegen',
    async prepare(place) {
      await goModule(place);
      const generate = ['-generate', 'types,client', '-package', 'api', '-o', 'api/api.gen.go', DESCRIPTION];
      await goTool(place, 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2', generate);
      await goVet(place);
    },
    run: ({ folder }, env) => sh(folder, 'go', ['run', '.'], env),
  },
  {
    name: 'ogen',
    async prepare(place) {
      await goModule(place);
      const generate = ['--target', 'api', '--package', 'api', '--clean', DESCRIPTION];
      await goTool(place, 'github.com/ogen-go/ogen/cmd/ogen@v1.25.0', generate);
      await goVet(place);
    },
    run: ({ folder }, env) => sh(folder, 'go', ['run', '.'], env),
  },
  {
    name: 'data-api-go',
    async prepare(place) {
      await openApiGenerator(place, 'go', ['isGoSubmodule=false'], [], DATA_DESCRIPTION);
      await sh(join(place.folder, 'api'), 'rm', ['-rf', 'go.mod', 'go.sum', 'test']);
      await goModule(place);
      await goVet(place);
    },
    run: ({ folder }, env) => sh(folder, 'go', ['run', '.'], env),
  },
  {
    name: 'data-api-openapi-fetch',
    async prepare(place) {
      await npm(place, ['openapi-fetch@0.17.0', 'openapi-typescript@7.13.0', ...TYPESCRIPT]);
      await sh(place.folder, 'npm', ['pkg', 'set', 'type=module']);
      await sh(place.folder, 'npx', ['openapi-typescript', DATA_DESCRIPTION, '-o', 'schema.d.ts']);
      await tsc(place, ESM);
    },
    run: ({ folder }, env) => sh(folder, 'node', ['out/drive.js'], env),
  },
  {
    name: 'spectral',
    async prepare(place) {
      await npm(place, ['@stoplight/spectral-cli@6.16.3']);
      await writeFile(join(place.folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n');
    },
    run: async ({ folder }) => {
      const both = [DESCRIPTION, DATA_DESCRIPTION];
      await sh(folder, 'npx', ['spectral', 'lint', ...both, '--fail-severity=hint']);
      return '';
    },
  },
  {
    name: 'schemathesis',
    prepare: (place) => python(place, ['schemathesis==4.32.5']),
    async run({ folder, shared }, env) {
      const { BASE_URL = '', ALL_KEY = '' } = env;
      const bounds = ['--max-examples', '8', '--max-time', '60', '--suppress-health-check', 'all'];
      const checks = ['--phases', 'examples,coverage,fuzzing', '--checks', 'all', '--continue-on-failure'];
      const args = ['run', DESCRIPTION, '--url', BASE_URL, '--no-color', ...checks, ...bounds];
      const hooks = { SCHEMATHESIS_HOOKS: 'hooks', PYTHONPATH: folder };
      for (const key of [['--header', `Authorization: Bearer ${ALL_KEY}`], []])
        await sh(folder, join(shared, 'venv/bin/schemathesis'), [...args, ...key], { ...env, ...hooks });
      return '';
    },
  },
];

async function openApiGenerator(
  { folder, shared }: Place,
  language: string,
  properties: readonly string[] = [],
  options: readonly string[] = [],
  description = DESCRIPTION,
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
    description,
    '-g',
    language,
    '-o',
    join(folder, 'api'),
    ...more,
    ...options,
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

/** A folder without a type of its own is CommonJS. */
const COMMON_JS = ['--module', 'commonjs', '--moduleResolution', 'node10'];
const ESM = ['--module', 'preserve', '--moduleResolution', 'bundler'];

async function tsc({ folder }: Place, modules: readonly string[]): Promise<void> {
  const strict = ['--strict', '--noUncheckedIndexedAccess', '--target', 'es2022', '--types', 'node'];
  await sh(folder, 'npx', ['tsc', ...strict, ...modules, '--outDir', 'out', 'drive.ts']);
}

async function goModule({ folder }: Place): Promise<void> {
  await needs('go');
  await sh(folder, 'go', ['mod', 'init', 'client']);
}

async function goTool({ folder }: Place, tool: string, args: readonly string[]): Promise<void> {
  await sh(folder, 'go', ['run', tool, ...args]);
}

async function goVet({ folder }: Place): Promise<void> {
  await sh(folder, 'go', ['mod', 'tidy']);
  await sh(folder, 'go', ['vet', '.']);
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
