import { z } from 'zod';
import { contentTypeOf } from '../../exporting/row-formats.ts';
import { answerFile, fileConditions } from '../artifacts/answer-file.ts';
import { dataRead } from '../metering.ts';
import { defineOperation, type Outcome } from '../operation.ts';
import {
  EXPORT_REFUSALS,
  exampleFile,
  exampleManifest,
  exportOf,
  fileInput,
  manifestSchema,
  positionInput,
  showManifest,
} from './export-schema.ts';

const ofExports = { ...dataRead, waits: true } as const;

export const getExportManifest = defineOperation({
  ...ofExports,
  name: 'getExportManifest',
  summary: 'What an exported file holds: its position, rows, size and digest.',
  description:
    'With the plan enterprise. The file is made if the data set has changed since it was made last. `url` names the ' +
    'position: what comes from there is the file of this manifest, or 409.',
  input: z.strictObject({ file: fileInput, position: positionInput }),
  output: manifestSchema,
  refusals: EXPORT_REFUSALS,
  example: { input: { file: exampleFile }, output: exampleManifest },
  async run(input, call, services) {
    const exported = await exportOf(input, call, services);
    if (!exported.ok) return exported;
    const { manifest } = exported.found;
    return { ok: true, data: showManifest(manifest, services.baseUrl), revision: `m-${manifest.sha256}` };
  },
});

export const getExport = defineOperation({
  ...ofExports,
  name: 'getExport',
  summary: 'A whole data set as CSV or JSON lines.',
  description:
    'With the plan enterprise. All listed rows as they were at one position, in the order of their last changes. The ' +
    'ETag is the SHA-256 of the bytes, X-Export-Position the position; one range can be asked for. What breaks off is ' +
    'shorter than its Content-Length.',
  input: z.strictObject({ file: fileInput, position: positionInput, ...fileConditions }),
  output: z.unknown().meta({ description: 'The bytes of the file.' }),
  refusals: [...EXPORT_REFUSALS, 'precondition_failed', 'range_not_satisfiable'],
  example: { input: { file: exampleFile }, output: null },
  async run({ file, position, ...conditions }, call, services): Promise<Outcome<unknown>> {
    const exported = await exportOf({ file, position }, call, services);
    if (!exported.ok) return exported;
    const { manifest, read } = exported.found;
    const facts = {
      name: manifest.file,
      contentType: contentTypeOf(manifest.format),
      sizeBytes: manifest.bytes,
      sha256: manifest.sha256,
      position: manifest.position,
    };
    return answerFile(facts, conditions, async (first, last) => read(first, last));
  },
});
