/**
 * What happens to a data set of the Directory Data API: one stream `dataset-{name}` of imports. An import is an
 * `ImportBegun`, numbered batches of rows, and an `ImportFinished`. Each of these events alone says how far its import
 * is, so that a decision reads one event, however large the data set.
 */
import { z } from 'zod';
import { jsonValue, sha256 } from './common.ts';
import { defineEvent, type FactOf } from './event.ts';
import { idSchema } from './ids.ts';
import { line } from './texts.ts';

const SLUG = '[a-z0-9]+(?:-[a-z0-9]+)*';

/** `tools`, `models`, or `directory/{platform}/{contentType}`. */
export const dataSetName = z
  .string()
  .max(120, 'must have at most 120 characters')
  .regex(
    new RegExp(`^(?:tools|models|directory/${SLUG}/${SLUG})$`),
    'must be tools, models, or directory/PLATFORM/TYPE in lower-case words joined by hyphens',
  );

/** The row's name in its data set: the source's own, or one that was made of what the row says. */
export const rowId = line(200);

/** Who may be thanked for the rows, and on which terms they are handed on. */
export const attributionSchema = z.strictObject({
  text: line(300),
  url: z.string().max(2_000).nullable(),
  licence: line(120).nullable(),
});
export type Attribution = z.output<typeof attributionSchema>;

export const SOURCE_KINDS = ['file', 'upload', 'router'] as const;

export const importSourceSchema = z.strictObject({
  kind: z.enum(SOURCE_KINDS),
  /** The name of the file, or the address of the router without its query. */
  name: line(300),
  sha256,
  bytes: z.int().min(0),
});
export type ImportSource = z.output<typeof importSourceSchema>;

const rowCount = z.int().min(0);

export const importCountsSchema = z.strictObject({
  added: rowCount,
  changed: rowCount,
  /** Listed again after they were retired. */
  returned: rowCount,
  retired: rowCount,
  unchanged: rowCount,
  /** Lines of the source that could not be taken. */
  refused: rowCount,
});
export type ImportCounts = z.output<typeof importCountsSchema>;

/** A row as its source says it. */
export const importedRow = z.strictObject({
  id: rowId,
  /** By which the next import knows an unchanged row: the first 22 digits, in base64url, of SHA-256 of the fields' canonical JSON. */
  digest: z.string().regex(/^[\w-]{22}$/),
  fields: z.record(z.string(), jsonValue),
});
export type ImportedRow = z.output<typeof importedRow>;

const ofImport = { dataset: dataSetName, importId: idSchema('import') };
/** Of how many batches of the import this is which, from 0. */
const ofBatch = { ...ofImport, batch: z.int().min(0), batches: z.int().min(1) };
const batchOfRows = z.strictObject({
  ...ofBatch,
  /** Null where nobody said. */
  attribution: attributionSchema.nullable(),
  rows: z.array(importedRow).min(1),
});

const importId = 'imp_01kb3j5m8xe3vb0v6yq4s5t7wz';
const exampleImport = { dataset: 'directory/mcp/servers', importId };
const exampleBatch = {
  ...exampleImport,
  attribution: {
    text: 'The MCP registry and its contributors',
    url: 'https://registry.example/',
    licence: 'MIT',
  },
  rows: [
    {
      id: 'io.example/ledger',
      digest: 'n4bQgYhMfWWaL-qgxVrQFa',
      fields: {
        externalId: 'io.example/ledger',
        name: 'Ledger',
        url: 'https://ledger.example/mcp',
        description: 'Reads a general ledger.',
      },
    },
  ],
};

export const dataSetEvents = [
  defineEvent({
    type: 'ImportBegun',
    summary:
      'An import of a data set was compared with what is there and is certain to be carried out: who wants which source in.',
    data: z.strictObject({
      ...ofImport,
      source: importSourceSchema,
      attribution: attributionSchema.nullable(),
      /** Whether the source holds the whole data set, so that rows it lacks are retired. */
      isComplete: z.boolean(),
      counts: importCountsSchema,
      batches: z.int().min(1),
    }),
    example: {
      ...exampleImport,
      source: {
        kind: 'file',
        name: 'mcp.servers.jsonl',
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        bytes: 443_167,
      },
      attribution: exampleBatch.attribution,
      isComplete: true,
      counts: { added: 1, changed: 1, returned: 1, retired: 1, unchanged: 996, refused: 0 },
      batches: 4,
    },
  }),
  defineEvent({
    type: 'RowsListed',
    summary: 'Rows that the data set never had were listed; customers and mirrors get them.',
    data: batchOfRows,
    example: { ...exampleBatch, batch: 0, batches: 4 },
  }),
  defineEvent({
    type: 'RowsRevised',
    summary: 'Listed rows say something else than before; mirrors replace theirs.',
    data: batchOfRows,
    example: { ...exampleBatch, batch: 1, batches: 4 },
  }),
  defineEvent({
    type: 'RowsReturned',
    summary: 'Rows that were retired are listed again, under the ids they had.',
    data: batchOfRows,
    example: { ...exampleBatch, batch: 2, batches: 4 },
  }),
  defineEvent({
    type: 'RowsRetired',
    summary: 'Rows are gone from a source that holds the whole data set; mirrors drop them.',
    data: z.strictObject({ ...ofBatch, ids: z.array(rowId).min(1) }),
    example: { ...exampleImport, batch: 3, batches: 4, ids: ['io.example/paper-trail'] },
  }),
  defineEvent({
    type: 'ImportFinished',
    summary: 'All batches of an import are in the log; the next one may begin.',
    data: z.strictObject(ofImport),
    example: exampleImport,
  }),
  defineEvent({
    type: 'ImportAbandoned',
    summary:
      'An import that was broken off cannot be finished, since what it had still to add is lost; the next one begins from what is there.',
    data: z.strictObject({ ...ofImport, reason: line(500) }),
    example: { ...exampleImport, reason: 'its staged rows are gone' },
  }),
] as const;

export type DataSetFact = FactOf<(typeof dataSetEvents)[number]>;

/** Why a data set cannot be renewed from its upstream. */
export const SOURCE_FAULTS = [
  'unreachable',
  'timeout',
  'status',
  'redirect',
  'not_json',
  'cut_short',
  'too_large',
  'empty',
  'much_smaller',
  'unusable',
] as const;
export type SourceFault = (typeof SOURCE_FAULTS)[number];

/** What happens to the upstream of a data set: one stream `source-{name}`, which only tells of changes. */
export const sourceEvents = [
  defineEvent({
    type: 'SourceDegraded',
    summary:
      'The upstream of a data set gives nothing that can be used, or for another reason than before: the last good rows stay in service, and lists say so.',
    data: z.strictObject({ dataset: dataSetName, reason: z.enum(SOURCE_FAULTS), detail: line(500) }),
    example: { dataset: 'models', reason: 'not_json', detail: 'the answer is text/html' },
  }),
  defineEvent({
    type: 'SourceRecovered',
    summary: 'The upstream of a data set gives usable rows again.',
    data: z.strictObject({ dataset: dataSetName }),
    example: { dataset: 'models' },
  }),
] as const;

export type SourceFact = FactOf<(typeof sourceEvents)[number]>;
