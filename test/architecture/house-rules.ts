/**
 * The arrows of the house as data: what each room may import. A room is a folder with all that is in it but the rooms
 * inside it. `import-scanner.ts` holds the code to them.
 */

export interface RoomRule {
  /** Rooms it may import besides itself. */
  readonly imports: readonly string[];
  /** The only packages and builtins it may import; any declared one when absent. */
  readonly packages?: readonly string[];
}

const PURE_PACKAGES = ['zod', 'node:crypto'];
const FACTS = ['events', 'commands', 'projections'];

/** What runs commands, views and what is beside requests. It knows no operation and no edge. */
const MACHINERY = rooms('timing settings ports commanding following projecting background logging audit');
/** What an edge is made of: operations, the way to them, and HTTP as every edge uses it. */
const FOR_EDGES = [...FACTS, ...rooms('calling operations transport logging settings ports timing')];
const ADAPTERS = 'eventstoredb folder memory mongodb redis s3 sqlite undici'
  .split(' ')
  .map((each) => `infra/${each}`);
/** The one file that joins the ports with their adapters. */
const JOINT = 'src/composition/engines.ts';
/** All of src but what puts it together. */
const EVERYTHING = [
  ...FACTS,
  ...MACHINERY,
  ...rooms('operations calling transport http mcp web serving'),
  ...rooms('checking exporting importing migrating publishing reactions seeding tasks verifying'),
];

export const ROOMS: Readonly<Record<string, RoomRule>> = {
  events: { imports: [], packages: PURE_PACKAGES },
  commands: { imports: ['events'], packages: PURE_PACKAGES },
  projections: { imports: ['events'], packages: PURE_PACKAGES },

  // Nothing but main.ts: whatever else is made has a room.
  src: { imports: rooms('cli composition settings') },
  'src/settings': { imports: [] },
  'src/ports': { imports: ['events'] },
  'src/timing': { imports: ['events'] },
  'src/audit': { imports: ['events', 'commands'] },
  'src/commanding': { imports: ['events', 'commands', ...rooms('timing')] },
  'src/following': { imports: ['events', ...rooms('ports timing')] },
  'src/projecting': { imports: ['events', 'projections', ...rooms('commanding timing')] },
  'src/background': {
    imports: ['events', 'commands', ...rooms('commanding following ports projecting settings timing')],
  },
  'src/logging': { imports: ['events', 'projections', ...rooms('commanding ports settings')] },

  'src/operations': { imports: [...FACTS, ...MACHINERY, ...rooms('exporting importing')] },
  'src/calling': { imports: [...FACTS, ...rooms('operations logging ports')] },
  'src/tasks': { imports: [...FACTS, ...MACHINERY, ...rooms('importing operations')] },
  'src/reactions': { imports: [...FACTS, ...MACHINERY, ...rooms('operations tasks')] },
  'src/checking': { imports: [...FACTS, ...MACHINERY, ...rooms('operations')] },
  'src/importing': { imports: [...FACTS, ...MACHINERY] },
  'src/exporting': { imports: ['events', 'projections', ...rooms('ports timing')] },
  'src/migrating': { imports: [...FACTS, ...MACHINERY] },
  'src/publishing': { imports: [...FACTS, ...MACHINERY, ...rooms('calling operations')] },
  'src/verifying': { imports: [...FACTS, ...rooms('calling publishing')] },
  'src/seeding': { imports: [...FACTS, ...MACHINERY, ...rooms('importing operations publishing')] },

  // The edges know operations and the way to them, and nothing of each other.
  'src/transport': { imports: ['events', ...rooms('calling operations logging ports settings')] },
  'src/http': { imports: FOR_EDGES },
  'src/mcp': { imports: FOR_EDGES },
  'src/web': { imports: FOR_EDGES },
  'src/cli': { imports: [...EVERYTHING, 'src/composition', JOINT] },

  'src/serving': { imports: rooms('calling http logging mcp operations ports transport web') },
  'src/composition': { imports: [...EVERYTHING, JOINT] },
  [JOINT]: { imports: [...EVERYTHING, 'src/composition', ...ADAPTERS] },

  ...Object.fromEntries(
    ADAPTERS.map((adapter) => [adapter, { imports: ['events', 'projections', 'src/ports'] }]),
  ),
  'infra/tools': { imports: ['events'] },
};

function rooms(names: string): string[] {
  return names.split(' ').map((name) => `src/${name}`);
}

export const PURE_FOLDERS = ['events', 'commands', 'projections'];

/**
 * The modules of pure folders that remember what they made, for its figure: a schema compiled once, names of members
 * quoted once. What they give does not depend on what they remember.
 */
export const MEMOS = ['events/compiled-schema.ts', 'events/canonical-json.ts'];

/** Of node:crypto, pure folders may use what gives the same answer twice. */
export const PURE_CRYPTO = [
  'createHash',
  'hash',
  'createHmac',
  'timingSafeEqual',
  'verify',
  'createPublicKey',
];

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
