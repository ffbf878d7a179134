/** What is said of an export. */
import { z } from 'zod';
import { note } from '../../../events/texts.ts';
import { dataSetDocument, type DataSetDocument, dataSets } from '../../../projections/data-sets.ts';
import type { ExportedFile, Manifest } from '../../exporting/exports.ts';
import { EXPORT_FORMATS, type ExportFormat, readFileName } from '../../exporting/row-formats.ts';
import type { Metering } from '../metering.ts';
import type { KeyedCall } from '../operation.ts';
import { readView } from '../read-view.ts';
import { refuse, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { createUnderWay } from '../under-way.ts';
import { countField, momentField, nullableTextField, textField } from '../../../projections/public-fields.ts';
import { exampleFrom } from '../example-from.ts';

const underWay = createUnderWay('exports');

export const exampleFile = 'tools.csv';

export const fileInput = z
  .string()
  .max(140)
  .regex(
    /^[a-z0-9.-]+$/,
    'must be the name of a data set with a point for each slash, and csv, jsonl, csv.gz or jsonl.gz',
  )
  .meta({
    description:
      'The data set with a point for each slash, and how it is written: `tools.csv`, `directory.mcp.servers.jsonl.gz`.',
    example: exampleFile,
  });

export const positionInput = note(100).optional().meta({
  description: 'Only the file of this position, as its manifest says; 409 where it is no more.',
  example: '0000000000000042',
});

export const manifestSchema = z
  .strictObject({
    file: textField('Its name.', exampleFile),
    url: textField(
      'Where it is.',
      'https://market.example/api/v1/export/tools.csv?position=0000000000000042',
    ),
    dataset: dataSetDocument.shape.dataset,
    format: z.enum(EXPORT_FORMATS).meta({ description: 'How it is written.', example: 'csv' }),
    position: nullableTextField(
      'Of the last change that it has: all its rows are as they were then. Null without rows. Opaque.',
      '0000000000000042',
    ),
    rows: countField('How many rows it has, all listed ones.', 3_294),
    bytes: countField('How many bytes it has.', 1_240_133),
    sha256: textField(
      'SHA-256 of its bytes in hexadecimal.',
      '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    ),
    madeAt: momentField('When it was made.', '2026-11-27T09:31:00.000Z'),
    attribution: dataSetDocument.shape.attribution,
  })
  .meta({
    id: 'ExportManifest',
    description: 'What an exported file holds, and how to know that it came whole.',
  });

export const exampleManifest = { ...exampleFrom(manifestSchema), dataset: 'tools' };

export function showManifest(manifest: Manifest, baseUrl: string): z.output<typeof manifestSchema> {
  const { file, position } = manifest;
  const query = position === null ? '' : `?position=${encodeURIComponent(position)}`;
  return { ...manifest, url: `${urlOf(file, baseUrl)}${query}` };
}

export function urlOf(file: string, baseUrl: string): string {
  return `${baseUrl}/api/v1/export/${file}`;
}

/** Null where the plan of the account has exports, and lists as CSV. */
export async function refuseWithoutExport(
  { caller, at }: KeyedCall,
  metering: Pick<Metering, 'usage'>,
): Promise<Refused | null> {
  const usage = await metering.usage(caller.accountId, at);
  return usage?.plan.hasExport === true
    ? null
    : refuse('plan_required', 'CSV and exports come with the plan enterprise.');
}

/** The file of this name, made where it must be; of the position, where one is asked for. */
export async function exportOf(
  { file, position }: { readonly file: string; readonly position?: string | undefined },
  call: KeyedCall,
  { views, exports, metering }: Pick<Services, 'views' | 'exports' | 'metering'>,
): Promise<{ readonly ok: true; readonly found: ExportedFile } | Refused> {
  const refused = await refuseWithoutExport(call, metering);
  if (refused !== null) return refused;
  const named = readFileName(file);
  const set = named === null ? undefined : await readView(views, dataSets, named.dataset);
  if (named === null || set === undefined) return refuse('not_found', `There is no export ${file}.`);
  // What is there is passed on, however much of it is asked for at once.
  const kept = exports.kept(set.dataset, named.format, position ?? set.position);
  if (kept !== null) return { ok: true, found: kept };
  const leave = underWay.begin(call.caller.accountId, file);
  if (typeof leave !== 'function') return leave;
  try {
    const found =
      position === undefined
        ? ({ ok: true, found: await exports.current(set, named.format) } as const)
        : await exportAt(exports, set, named.format, position);
    // To make it may take long.
    return (await call.refusalNow?.()) ?? found;
  } finally {
    leave();
  }
}

async function exportAt(
  exports: Services['exports'],
  set: DataSetDocument,
  format: ExportFormat,
  position: string,
): Promise<{ readonly ok: true; readonly found: ExportedFile } | Refused> {
  const found = set.position === position ? await exports.current(set, format) : null;
  if (found?.manifest.position === position) return { ok: true, found };
  return refuse(
    'conflict',
    `The data set has changed since the position ${position}: ask for its manifest again.`,
  );
}

/** What an operation of exports refuses beside the rest. */
export const EXPORT_REFUSALS = ['plan_required', 'not_found', 'conflict', 'rate_limited'] as const;
