/** The arrows of the house as data: what each folder may import. `import-scanner.ts` holds the code to them. */

export interface FolderRule {
  /** Folders it may import besides itself, as path prefixes. */
  readonly imports: readonly string[];
  /** The only packages and builtins it may import; any declared one when absent. */
  readonly packages?: readonly string[];
}

const PURE_PACKAGES = ['zod', 'node:crypto'];

export const FOLDERS: Readonly<Record<string, FolderRule>> = {
  events: { imports: [], packages: PURE_PACKAGES },
  commands: { imports: ['events'], packages: PURE_PACKAGES },
  projections: { imports: ['events'], packages: PURE_PACKAGES },
  src: { imports: ['events', 'commands', 'projections'] },
  infra: { imports: ['events', 'projections', 'src/ports'] },
};

export const PURE_FOLDERS = ['events', 'commands', 'projections'];

/** Of node:crypto, pure folders may use what gives the same answer twice. */
export const PURE_CRYPTO = [
  'createHash',
  'hash',
  'createHmac',
  'timingSafeEqual',
  'verify',
  'createPublicKey',
];

/** The one file that joins the ports with their adapters. */
export const COMPOSITION_ROOT = 'src/composition/engines.ts';

/** Scripts for developers: they run from the work tree, on development dependencies too. */
export const TOOLS = 'infra/tools';

/** Where a package, and with it a technology, is at home. Nobody else imports it, not even its types. */
export const HOMES: Readonly<Record<string, readonly string[]>> = {
  express: ['src/serving'],
  '@modelcontextprotocol/sdk': ['src/mcp'],
  'better-sqlite3': ['infra/sqlite'],
  '@eventstore/db-client': ['infra/eventstoredb'],
  '@grpc/grpc-js': ['infra/eventstoredb'],
  mongodb: ['infra/mongodb'],
  ioredis: ['infra/redis'],
  bullmq: ['infra/redis'],
  'rate-limiter-flexible': ['infra/redis'],
  stripe: ['infra/stripe'],
  undici: ['infra/undici'],
  '@aws-sdk/client-s3': ['infra/s3'],
  '@aws-sdk/lib-storage': ['infra/s3'],
  'node:module': [TOOLS],
  'node:process': ['src/settings/config.ts', 'src/main.ts', 'src/cli/bourse.ts', TOOLS],
};
