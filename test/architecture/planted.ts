/** Sources that break one rule each: they are written out beside those of `innocent.ts`, and judged. */

import { posix } from 'node:path';
import { ROOMS } from './house-rules.ts';

export interface Planted {
  /** The rule that must report the file: oxlint's `plugin(rule)`, or one of our own scanner. */
  readonly rule: string;
  readonly file: string;
  readonly source: string;
}

/** Rooms that few may see, of which the first that a room may not see is what its planted file imports. */
const SHUT = ['src/http', 'src/web', 'src/composition', 'src/cli', 'infra/sqlite'];

/** One forbidden arrow out of every room of the table. */
const ARROWS: readonly Planted[] = Object.entries(ROOMS).flatMap(([room, { imports }]) => {
  const forbidden = SHUT.find((each) => each !== room && !imports.includes(each));
  if (forbidden === undefined || room.endsWith('.ts')) return [];
  const path = `./${posix.relative(room, forbidden)}/x.ts`;
  return [
    {
      rule: 'arrow',
      file: `${room}/planted.ts`,
      source: `import { x } from '${path}';\nexport const y = x;`,
    },
  ];
});

export const PLANTED: readonly Planted[] = [
  ...ARROWS,
  // oxlint
  {
    rule: 'typescript(no-floating-promises)',
    file: 'src/floating.ts',
    source: 'export const go = () => { Promise.resolve(1); };',
  },
  {
    rule: 'typescript(no-misused-promises)',
    file: 'src/misused.ts',
    source: 'export const go = () => [1].forEach(async () => { await Promise.resolve(); });',
  },
  {
    rule: 'typescript(no-explicit-any)',
    file: 'src/any.ts',
    source: 'export const id = (x: any) => String(x);',
  },
  {
    rule: 'typescript(no-non-null-assertion)',
    file: 'src/bang.ts',
    source: 'export const first = (xs: string[]) => xs[0]!;',
  },
  {
    rule: 'typescript(switch-exhaustiveness-check)',
    file: 'src/switch.ts',
    source:
      "export function f(x: 'a' | 'b') {\n  switch (x) {\n    case 'a':\n      return 1;\n  }\n  return 2;\n}",
  },
  {
    rule: 'typescript(consistent-type-imports)',
    file: 'src/type-import.ts',
    source: "import { Readable } from 'node:stream';\nexport const f = (x: Readable) => String(x);",
  },
  {
    rule: 'typescript(only-throw-error)',
    file: 'src/throw.ts',
    source: "export const f = () => { throw 'no'; };",
  },
  {
    rule: 'typescript(ban-ts-comment)',
    file: 'src/ts-ignore.ts',
    source: '// @ts-ignore\nexport const x: string = 1;',
  },
  {
    rule: 'import(no-cycle)',
    file: 'src/cycle-a.ts',
    source: "import { b } from './cycle-b.ts';\nexport const a = () => b;",
  },
  {
    rule: 'import(no-cycle)',
    file: 'src/cycle-b.ts',
    source: "import { a } from './cycle-a.ts';\nexport const b = () => a;",
  },
  { rule: 'import(no-default-export)', file: 'src/default.ts', source: 'export default 1;' },
  {
    rule: 'unicorn(prefer-node-protocol)',
    file: 'infra/node-protocol.ts',
    source: "import { join } from 'path';\nexport const x = join('a');",
  },
  { rule: 'eslint(eqeqeq)', file: 'src/equal.ts', source: 'export const f = (x: unknown) => x == 1;' },
  { rule: 'eslint(no-console)', file: 'src/console.ts', source: "console.log('hi');" },
  // Around what escapes the texts of others.
  { rule: 'eslint(no-console)', file: 'src/cli/console.ts', source: "console.log('hi');" },
  { rule: 'node(no-process-env)', file: 'src/http/env.ts', source: 'export const x = process.env.X;' },
  { rule: 'node(no-process-env)', file: 'infra/env.ts', source: "export const x = process.env['X'];" },
  { rule: 'node(no-process-env)', file: 'src/cli/env.ts', source: "export const x = process.env['X'];" },
  { rule: 'eslint(max-lines)', file: 'src/long.ts', source: 'export {};\n'.repeat(301) },
  { rule: 'eslint(max-lines)', file: 'test/long.ts', source: 'export {};\n'.repeat(301) },
  {
    rule: 'eslint(no-restricted-properties)',
    file: 'events/now.ts',
    source: 'export const now = () => Date.now();',
  },
  {
    rule: 'eslint(no-restricted-properties)',
    file: 'commands/random.ts',
    source: 'export const roll = () => Math.random();',
  },
  {
    rule: 'eslint(no-restricted-globals)',
    file: 'commands/clock.ts',
    source: 'export const now = () => performance.now();',
  },
  {
    rule: 'eslint(no-restricted-globals)',
    file: 'projections/uuid.ts',
    source: 'export const id = () => crypto.randomUUID();',
  },
  { rule: 'eslint(no-restricted-globals)', file: 'events/env.ts', source: 'export const pid = process.pid;' },
  {
    rule: 'eslint(no-restricted-globals)',
    file: 'projections/io.ts',
    source: "export const get = () => fetch('http://localhost');",
  },
  {
    rule: 'eslint(no-restricted-globals)',
    file: 'commands/wait.ts',
    source: 'export const wait = (f: () => void) => setTimeout(f, 1);',
  },
  // our scanner
  {
    rule: 'arrow',
    file: 'events/up.ts',
    source: "import { x } from '../commands/x.ts';\nexport const y = x;",
  },
  { rule: 'arrow', file: 'events/up-type.ts', source: "export type X = import('../projections/x.ts').X;" },
  { rule: 'arrow', file: 'commands/family/across.ts', source: "export { x } from '../../projections/x.ts';" },
  {
    rule: 'arrow',
    file: 'projections/across.ts',
    source: "import type { X } from '../commands/x.ts';\nexport type Y = X;",
  },
  { rule: 'arrow', file: 'projections/up.ts', source: "export const x = await import('../src/x.ts');" },
  {
    rule: 'arrow',
    file: 'src/operations/infra.ts',
    source: "import { x } from '../../infra/sqlite/x.ts';\nexport const y = x;",
  },
  { rule: 'arrow', file: 'src/main.ts', source: "import '../infra/sqlite/x.ts';" },
  { rule: 'arrow', file: 'src/test.ts', source: "export * from '../test/x.ts';" },
  {
    rule: 'arrow',
    file: 'infra/sqlite/src.ts',
    source: "import { x } from '../../src/settings/config.ts';\nexport const y = x;",
  },
  {
    rule: 'arrow',
    file: 'infra/sqlite/not-ports.ts',
    source: "import { x } from '../../src/ports-of-call/x.ts';\nexport const y = x;",
  },
  {
    rule: 'arrow',
    file: 'infra/memory/commands.ts',
    source: "import { x } from '../../commands/x.ts';\nexport const y = x;",
  },
  {
    rule: 'arrow',
    file: 'src/composition/app.ts',
    source: "import { x } from '../../infra/sqlite/x.ts';\nexport const y = x;",
  },
  {
    rule: 'arrow',
    file: 'src/mcp/web.ts',
    source: "import type { X } from '../http/x.ts';\nexport type Y = X;",
  },
  {
    rule: 'arrow',
    file: 'src/room-of-nobody/x.ts',
    source: "import { x } from '../operations/x.ts';\nexport const y = x;",
  },
  {
    rule: 'file-cycle',
    file: 'infra/folder/there.ts',
    source: "import type { Back } from './back.ts';\nexport type There = Back | null;",
  },
  {
    rule: 'file-cycle',
    file: 'infra/folder/back.ts',
    source: "import type { There } from './there.ts';\nexport type Back = There | null;",
  },
  {
    rule: 'folder-cycle',
    file: 'src/operations/orders/there.ts',
    source: "import { far } from '../parcels/far.ts';\nexport const there = far;",
  },
  {
    rule: 'folder-cycle',
    file: 'src/operations/parcels/back.ts',
    source: "import { near } from '../orders/near.ts';\nexport const back = near;",
  },
  {
    rule: 'package-allowed',
    file: 'events/package.ts',
    source: "import pino from 'pino';\nexport const log = pino();",
  },
  {
    rule: 'package-allowed',
    file: 'commands/fs.ts',
    source: "import { readFileSync } from 'node:fs';\nexport const f = readFileSync;",
  },
  {
    rule: 'package-allowed',
    file: 'projections/package.ts',
    source: "import { LRUCache } from 'lru-cache';\nexport const c = LRUCache;",
  },
  {
    rule: 'package-home',
    file: 'src/operations/express.ts',
    source: "import type { Request } from 'express';\nexport type R = Request;",
  },
  {
    rule: 'package-home',
    file: 'src/http/mcp.ts',
    source: "import { Client } from '@modelcontextprotocol/sdk/client/index.js';\nexport const c = Client;",
  },
  {
    rule: 'package-home',
    file: 'infra/memory/sqlite.ts',
    source: "import Database from 'better-sqlite3';\nexport const d = Database;",
  },
  {
    rule: 'package-home',
    file: 'src/background/redis.ts',
    source: "import { Redis } from 'ioredis';\nexport const r = Redis;",
  },
  {
    rule: 'package-home',
    file: 'infra/redis/mongo.ts',
    source: "import { MongoClient } from 'mongodb';\nexport const m = MongoClient;",
  },
  {
    rule: 'package-home',
    file: 'src/operations/s3.ts',
    source: "import type { S3Client } from '@aws-sdk/client-s3';\nexport type C = S3Client;",
  },
  {
    rule: 'package-home',
    file: 'infra/folder/s3.ts',
    source: "import { Upload } from '@aws-sdk/lib-storage';\nexport const u = Upload;",
  },
  {
    rule: 'package-home',
    file: 'src/process.ts',
    source: "import { env } from 'node:process';\nexport const e = env;",
  },
  {
    rule: 'package-declared',
    file: 'src/dev-dependency.ts',
    source: "import { expect } from 'chai';\nexport const e = expect;",
  },
  {
    rule: 'pure-crypto',
    file: 'events/crypto.ts',
    source:
      "import { createHash, randomUUID } from 'node:crypto';\nexport const f = [createHash, randomUUID];",
  },
  {
    rule: 'pure-crypto',
    file: 'commands/crypto.ts',
    source: "import * as crypto from 'node:crypto';\nexport const f = crypto;",
  },
  { rule: 'pure-clock', file: 'events/date.ts', source: 'export const now = () => new Date();' },
  {
    rule: 'pure-state',
    file: 'events/variable.ts',
    source: 'let last = 0;\nexport const f = (n: number) => (last = n);',
  },
  {
    rule: 'pure-state',
    file: 'commands/remembering.ts',
    source:
      'const known: Map<string, string> = new Map<string, string>();\nexport const f = (n: string) => known.get(n);',
  },
  { rule: 'pure-clock', file: 'projections/date.ts', source: 'export const now = () => `${Date()}`;' },
  {
    rule: 'computed-import',
    file: 'src/computed.ts',
    source: 'export const load = (name: string) => import(name);',
  },
];
