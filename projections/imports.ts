/** The view of imports: who imported what from which source, and what came of it. For operators. */
import { z } from 'zod';
import { importCountsSchema, importSourceSchema } from '../events/data-set-events.ts';
import { changes, creates, defineProjection } from './projection.ts';
import { flagField, textField, timeField } from './public-fields.ts';

export const IMPORTS = 'imports';

const { shape: counted } = importCountsSchema;
const count = (schema: z.ZodInt, description: string, example: number) =>
  schema.meta({ description, example });

/** What became of the rows of an import. */
export const importCounts = importCountsSchema.extend({
  added: count(counted.added, 'Rows that the data set never had.', 3),
  changed: count(counted.changed, 'Listed rows that say something else than before.', 1),
  returned: count(counted.returned, 'Rows that are listed again after they were retired.', 0),
  retired: count(counted.retired, 'Listed rows that a complete source lacks.', 0),
  unchanged: count(counted.unchanged, 'Listed rows that are as they were.', 3_290),
  refused: count(counted.refused, 'Rows that could not be taken.', 0),
});

const { shape: sourced } = importSourceSchema;

const importSource = importSourceSchema.extend({
  kind: sourced.kind.meta({
    description: '`file`: by the command line; `upload`: over HTTP; `router`: by the sync of models.',
    example: 'file',
  }),
  name: sourced.name.meta({
    description: 'The name of the file, or the address of the router.',
    example: 'ai-tools.jsonl',
  }),
  sha256: sourced.sha256.meta({
    description: 'SHA-256 of what was read, in hexadecimal.',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  }),
  bytes: sourced.bytes.meta({ description: 'How many bytes were read.', example: 935_951 }),
});

export const importDocument = z
  .strictObject({
    importId: textField('Its id.', 'imp_01kb3j5m8xe3vb0v6yq4s5t7wz'),
    dataset: textField('What was imported into.', 'tools'),
    status: z.enum(['under_way', 'finished', 'abandoned']).meta({
      description: '`under_way` for a while after it was broken off: it is finished by the next import.',
      example: 'finished',
    }),
    by: textField('Who imported: a key, the CLI, the sync.', 'cli'),
    source: importSource.meta({
      description: 'What was imported: its name, SHA-256 and size in bytes.',
      example: {
        kind: 'file',
        name: 'ai-tools.jsonl',
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        bytes: 935_951,
      },
    }),
    isComplete: flagField('Whether rows that the source lacks were retired.', true),
    counts: importCounts.meta({
      description: 'What became of its rows.',
      example: { added: 3, changed: 1, returned: 0, retired: 0, unchanged: 3290, refused: 0 },
    }),
    begunAt: timeField('When it began.'),
    endedAt: timeField('When it ended; null while it is under way.').nullable(),
  })
  .meta({
    id: 'Import',
    description: 'An import of rows into a data set. One that changes nothing is none.',
  });
export type ImportDocument = z.output<typeof importDocument>;

export const imports = defineProjection<ImportDocument>({
  name: IMPORTS,
  version: 1,
  summary: 'Who imported what from which source, newest first.',
  schema: importDocument,
  fields: { dataset: 'text', status: 'text', begunAtMs: 'integer' },
  orders: { '-begunAt': [{ field: 'begunAtMs', direction: 'desc' }] },
  on: {
    ImportBegun: creates('importId', ({ data, meta, at }) => ({
      importId: data.importId,
      dataset: data.dataset,
      status: 'under_way',
      by: meta.actor,
      source: data.source,
      isComplete: data.isComplete,
      counts: data.counts,
      begunAt: at,
      endedAt: null,
    })),
    ImportFinished: changes('importId', (_, { at }) => ({ status: 'finished', endedAt: at })),
    ImportAbandoned: changes('importId', (_, { at }) => ({ status: 'abandoned', endedAt: at })),
  },
  index: ({ dataset, status, begunAt }) => ({ dataset, status, begunAtMs: Date.parse(begunAt) }),
});
