import { z } from 'zod';
import { sha256 as sha256Schema } from '../../../events/common.ts';
import { attributionSchema, dataSetName } from '../../../events/data-set-events.ts';
import { asLine, line, webAddress } from '../../../events/texts.ts';
import { dataSets } from '../../../projections/data-sets.ts';
import { importCounts, imports } from '../../../projections/imports.ts';
import { type ImportOutcome, importRows } from '../../importing/import-rows.ts';
import type { ImportCause } from '../../importing/import-services.ts';
import { MAX_FIELDS, ROW_FORMATS, type RowFormat } from '../../importing/source-row.ts';
import { defineOperation, type KeyedCall, type Outcome } from '../operation.ts';
import { refuse } from '../refusals.ts';
import { withinBudget } from '../time-budget.ts';
import type { Services } from '../services.ts';
import { createUnderWay } from '../under-way.ts';
import { checkedUpload, UploadCutShort, UploadTooLarge } from './checked-upload.ts';
import { refuseImport } from './refuse-import.ts';
import { countField, flagField, nullableTextField, textField } from '../../../projections/public-fields.ts';

export const MAX_IMPORT_MIB = 256;
/** Whoever is answered finds the import in the list, and its rows counted, unless the views are slow. */
const VIEW_PATIENCE_MS = 2_000;
const underWay = createUnderWay('imports');

const note = z
  .strictObject({
    line: countField('Which line, from 1; in a JSON array, where the row begins.', 17),
    reason: textField('What is to be said of it.', 'it has no name'),
  })
  .meta({ id: 'ImportNote', description: 'A line of what was sent, with what is to be said of it.' });
const notes = (description: string) => z.array(note).meta({ description, example: [] });
const flag = (description: string) => z.boolean().default(false).meta({ description, example: false });

const inputSchema = z.strictObject({
  dataset: dataSetName.meta({ description: 'What to import into.', example: 'tools' }),
  format: z.enum(ROW_FORMATS).optional().meta({
    description: 'What the body is, where its Content-Type does not say so.',
    example: 'jsonl',
  }),
  name: line(300).optional().meta({
    description: 'What the source is called, such as the name of a file; kept with the import.',
    example: 'ai-tools.jsonl',
  }),
  complete: flag('Whether the body holds the whole data set: listed rows that it lacks are then retired.'),
  yesRetireMany: flag('With complete: also when more than a fifth of the listed rows are missing.'),
  dryRun: flag('Only say what would change.'),
  attribution: attributionSchema.shape.text.optional().meta({
    description:
      'Whom to name where the rows are shown. Kept until an import says otherwise, unless it is the demonstration’s.',
    example: 'awesome-ai-tools and its contributors',
  }),
  attributionUrl: webAddress.optional().meta({
    description: 'The https address of that.',
    example: 'https://tools.example/',
  }),
  licence: attributionSchema.shape.licence.unwrap().optional().meta({
    description: 'On which terms the rows are handed on.',
    example: 'CC-BY-4.0',
  }),
  contentType: z.string().max(200).optional().meta({
    description: 'application/x-ndjson, application/jsonl, application/json or text/csv.',
    example: 'application/x-ndjson',
  }),
  sha256: sha256Schema.optional().meta({
    description: 'SHA-256 of the body in lower-case hexadecimal: nothing is imported of another one.',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  }),
});
type Input = z.output<typeof inputSchema>;

const outputSchema = z
  .strictObject({
    importId: nullableTextField(
      'Its id; null where nothing changed, or nothing was to be changed.',
      'imp_01kb3j5m8xe3vb0v6yq4s5t7wz',
    ),
    dataset: textField('What was imported into.', 'tools'),
    dryRun: flagField('Whether it was only told what would change.', false),
    rows: countField('How many rows were read.', 3_294),
    counts: importCounts.meta({
      description: 'What became of them.',
      example: { added: 3, changed: 1, returned: 0, retired: 0, unchanged: 3_290, refused: 0 },
    }),
    missingKept: countField(
      'Listed rows that are missing and stay listed: refused rows without an id may be they.',
      0,
    ),
    attributionKept: flagField(
      'False where another attribution than before was sent and no row changed to bear it.',
      true,
    ),
    refused: notes('Rows that were not taken, the first thousand.'),
    collisions: notes(
      'Rows that have a longer id, since another has their address and name; the first thousand.',
    ),
    odd: notes('Rows that were taken and could not be read whole, the first thousand.'),
  })
  .meta({ id: 'ImportReport', description: 'What became of the rows that were sent.' });
type Report = z.output<typeof outputSchema>;

export const createImport = defineOperation({
  name: 'createImport',
  waits: true,
  summary: 'Import rows into a data set of the Data API.',
  description:
    'The body is the rows: a JSON object a line, a JSON array, or CSV with a header of at most ' +
    `${MAX_FIELDS} columns, streamed, at most ${MAX_IMPORT_MIB} MiB. Good rows are taken, and each other one is told with its line. The body is read whole before ` +
    'anything is added: one that is cut short, or cannot be read, adds nothing. Rows that are as they were add nothing. ' +
    'Two imports of one data set cannot mix: the later one is refused. Of a repeated request the counts alone are told.',
  tag: 'operator',
  kind: 'command',
  scope: 'operator:write',
  input: inputSchema,
  output: outputSchema,
  refusals: ['conflict', 'body_too_large', 'unsupported_media_type', 'idempotency_mismatch', 'rate_limited'],
  example: {
    input: { dataset: 'tools', complete: true, yesRetireMany: false, dryRun: false },
    output: {
      importId: 'imp_01kb3j5m8xe3vb0v6yq4s5t7wz',
      dataset: 'tools',
      dryRun: false,
      rows: 3_295,
      counts: { added: 3, changed: 1, returned: 0, retired: 0, unchanged: 3_290, refused: 1 },
      missingKept: 0,
      attributionKept: true,
      refused: [{ line: 17, reason: 'it has no name' }],
      collisions: [],
      odd: [],
    },
  },
  async run(input, call, services): Promise<Outcome<Report>> {
    const format = input.format ?? FORMATS[mediaType(input.contentType)];
    if (format === undefined)
      return refuse(
        'unsupported_media_type',
        'Say by Content-Type what the body is (application/x-ndjson, application/json, text/csv), or by format.',
      );
    const { attribution, attributionUrl, licence } = input;
    if (attribution === undefined && (attributionUrl ?? licence) !== undefined)
      return refuse('invalid_request', 'attributionUrl and licence belong to an attribution.', {
        details: [{ path: 'attribution', message: 'must be there with attributionUrl or licence' }],
      });
    const leave = underWay.begin(call.caller.accountId);
    if (typeof leave !== 'function') return leave;
    try {
      const outcome = await importUpload(input, format, call, services);
      if (!('report' in outcome)) return outcome;
      if (!outcome.ok) return refuseImport(outcome);
      if (outcome.importId !== null) await seen(withinBudget(services));
      return { ok: true, data: reportOf(input, outcome), replayed: outcome.isReplayed };
    } finally {
      leave();
    }
  },
});

const FORMATS: Readonly<Record<string, RowFormat>> = {
  'application/x-ndjson': 'jsonl',
  'application/ndjson': 'jsonl',
  'application/jsonl': 'jsonl',
  'application/json': 'json',
  'text/csv': 'csv',
};

function mediaType(contentType = ''): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}

async function importUpload(input: Input, format: RowFormat, call: KeyedCall, services: Services) {
  const { upload, requestHash, commandId } = call;
  if (upload === undefined) throw new Error('an import was asked for without its bytes');
  const { dataset, attribution, attributionUrl = null, licence = null } = input;
  try {
    return await importRows(services, {
      dataset,
      bytes: checkedUpload(upload, MAX_IMPORT_MIB * 1_024 ** 2, input.sha256 ?? null),
      format,
      source: { kind: 'upload', name: asLine(input.name ?? 'an upload', 300, 'an upload') },
      attribution: attribution === undefined ? null : { text: attribution, url: attributionUrl, licence },
      isComplete: input.complete,
      mayRetireMany: input.yesRetireMany,
      dryRun: input.dryRun,
      cause: causeOf(call),
      // Without an Idempotency-Key it cannot come again.
      ...(requestHash === undefined ? {} : { commandId }),
    });
  } catch (error) {
    if (error instanceof UploadTooLarge)
      return refuse('body_too_large', `The body has more than ${MAX_IMPORT_MIB} MiB. Nothing was imported.`);
    if (error instanceof UploadCutShort)
      return refuse('invalid_request', 'The body ended before its time. Nothing was imported.');
    throw error;
  }
}

/** Its moment is looked at when it is used: an import is of the one at which its last byte has come. */
function causeOf(call: KeyedCall): ImportCause {
  return {
    get at() {
      return call.at;
    },
    requestId: call.requestId,
    actor: `key:${call.caller.keyId}`,
  };
}

async function seen({ events, projector }: Services): Promise<void> {
  const head = await events.head();
  if (head === null) return;
  for (const { name } of [imports, dataSets]) await projector.reached(name, head, VIEW_PATIENCE_MS);
}

function reportOf({ dataset, dryRun }: Input, outcome: Extract<ImportOutcome, { ok: true }>): Report {
  const { importId, report, isAttributionDropped } = outcome;
  return {
    importId,
    dataset,
    dryRun,
    rows: report.rows,
    counts: report.counts,
    missingKept: report.missingKept,
    attributionKept: !isAttributionDropped,
    refused: [...report.refused],
    collisions: [...report.collisions],
    odd: [...report.odd],
  };
}
