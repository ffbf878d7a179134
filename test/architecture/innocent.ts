/** Sources that look as if they broke a rule, and break none. */
import type { Planted } from './planted.ts';

export const INNOCENT: readonly Omit<Planted, 'rule'>[] = [
  // What the planted cycle of folders leads to: no file of it is on a cycle of files.
  { file: 'src/operations/orders/near.ts', source: 'export const near = 1;' },
  { file: 'src/operations/parcels/far.ts', source: 'export const far = 1;' },
  {
    file: 'events/innocent.ts',
    source:
      "import { createHash } from 'node:crypto';\nimport { z } from 'zod';\n// import { x } from '../commands/x.ts'; new Date()\nexport const f = (ms: number) => [createHash, z, new Date(ms), `new Date() ${`from '../src/x.ts'`}`];",
  },
  {
    file: 'commands/family/innocent.ts',
    source:
      "import { f } from '../../events/innocent.ts';\nexport const g = f;\nexport const quote = /['\"]/;\nexport const text = \"import { x } from '../src/x.ts'\";",
  },
  {
    file: 'events/compiled-schema.ts',
    source: 'const known = new WeakMap<object, object>();\nexport const f = (o: object) => known.get(o);',
  },
  {
    file: 'events/table.ts',
    source:
      "const NAMES = new Set(['a']);\nexport const f = (n: string) => {\n  const seen = new Set();\n  return [NAMES.has(n), seen];\n};",
  },
  {
    file: 'projections/innocent.ts',
    source: "import { f } from '../events/innocent.ts';\nexport const g = f;",
  },
  {
    file: 'src/composition/engines.ts',
    source: "import { g } from '../../infra/sqlite/innocent.ts';\nexport const app = g;",
  },
  { file: 'src/ports/innocent.ts', source: 'export const now = () => Date.now();' },
  { file: 'src/serving/innocent.ts', source: "import express from 'express';\nexport const e = express();" },
  { file: 'src/settings/config.ts', source: "export const port = process.env['PORT'];" },
  { file: 'src/cli/print.ts', source: "console.log('usage');" },
  {
    file: 'infra/sqlite/innocent.ts',
    source:
      "import Database from 'better-sqlite3';\nimport { now } from '../../src/ports/innocent.ts';\nimport { g as view } from '../../projections/innocent.ts';\nexport const g = [Database, now, view];",
  },
];
