/**
 * Makes of the sources what runs: a file for each program and for each of its workers, with the packages that every
 * start loads in it. Node takes a quarter of a second to read some 750 modules one by one (decision 035).
 */
import { chmod, cp, readdir, readFile, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WORKERS = [
  'infra/sqlite/log-writer-worker',
  'infra/sqlite/wal-copier-worker',
  'infra/sqlite/queue-worker',
  'infra/sqlite/meter-worker',
  'infra/sqlite/meter-history-worker',
  'infra/sqlite/account-keys-worker',
  'infra/sqlite/page-reader-worker',
  'infra/sqlite/view-upkeep-worker',
  'src/publishing/reading-worker',
];

/** Packages with native code or files of their own, and those of engines, which most starts do without. */
const LEFT_OUTSIDE = [
  'better-sqlite3',
  'swagger-ui-dist',
  '@eventstore/db-client',
  '@grpc/grpc-js',
  'mongodb',
  'bullmq',
  'ioredis',
  '@aws-sdk/*',
];
const FOLDERS_WITH_ASSETS = ['src', 'infra'];
/** Read by developers and by whoever runs the service, never by the service. */
const NOT_SERVED = ['tools', 'docker', 'kubernetes'].map((folder) => join('infra', folder));

export interface BundleOptions {
  /** Where each program begins, by its name in the folder: `main: 'src/main.ts'` makes `main.js`. */
  readonly programs: Readonly<Record<string, string>>;
  /** Sources by their place in the project, such as `src/ports/public-address.ts`, with what is to stand there. */
  readonly replaced?: Readonly<Record<string, string>>;
}

/** Makes the programs in the folder, ready to be run, in place of whatever is there. Types are checked elsewhere. */
export async function bundle(folder: string, { programs, replaced = {} }: BundleOptions): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { ...programs, ...Object.fromEntries(WORKERS.map((worker) => [worker, `${worker}.ts`])) },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: LEFT_OUTSIDE,
    plugins: [sources(replaced)],
    // Packages that are not modules ask for Node's own by `require`.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
  });
  for (const name of Object.keys(programs)) await chmod(join(folder, `${name}.js`), 0o755);
  const made = new Set(Object.keys(metafile.outputs).map((path) => join(ROOT, path)));
  for (const asset of await assets()) {
    made.add(join(folder, asset));
    await cp(join(ROOT, asset), join(folder, asset));
  }
  for (const file of await filesUnder(folder)) if (!made.has(file)) await rm(file);
}

/** Modules find the files beside them by their own address, which a bundle would replace by its own. */
function sources(replaced: NonNullable<BundleOptions['replaced']>): Plugin {
  return {
    name: 'sources',
    setup(building) {
      building.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const place = relative(ROOT, path).replaceAll(sep, '/');
        const text = replaced[place] ?? (await readFile(path, 'utf8'));
        const own = `new URL('./${place.replace(/ts$/, 'js')}', import.meta.url).href`;
        return { loader: 'ts', contents: text.replaceAll('import.meta.url', own) };
      });
    },
  };
}

async function assets(): Promise<readonly string[]> {
  const files = (await Promise.all(FOLDERS_WITH_ASSETS.map((name) => filesUnder(join(ROOT, name))))).flat();
  return files
    .map((file) => relative(ROOT, file))
    .filter((file) => !file.endsWith('.ts') && !NOT_SERVED.some((name) => file.startsWith(name + sep)));
}

async function filesUnder(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
