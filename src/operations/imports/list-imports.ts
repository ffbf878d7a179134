import { z } from 'zod';
import { dataSetName } from '../../../events/data-set-events.ts';
import { idSchema } from '../../../events/ids.ts';
import { importDocument, type ImportDocument, imports } from '../../../projections/imports.ts';
import { cursorField, limitField, listMeta, listOwn } from '../list-page.ts';
import { defineOperation } from '../operation.ts';
import { readView } from '../read-view.ts';
import { refuse } from '../refusals.ts';
import { exampleFrom } from '../example-from.ts';

const exampleImport = exampleFrom(importDocument);
const { importId, dataset } = exampleImport;

export const listImports = defineOperation({
  name: 'listImports',
  summary: 'Who imported what into the data sets, the newest first.',
  description: 'Those that changed something: by the command line, over HTTP, and by the sync of models.',
  tag: 'operator',
  kind: 'query',
  scope: 'operator:write',
  input: z.strictObject({
    dataset: dataSetName.optional().meta({ description: 'Only into this data set.', example: 'tools' }),
    status: importDocument.shape.status
      .optional()
      .meta({ description: 'Only imports that stand so.', example: 'finished' }),
    limit: limitField,
    cursor: cursorField,
  }),
  output: z.array(importDocument),
  meta: listMeta,
  refusals: ['invalid_cursor'],
  example: { input: { dataset, limit: 20 }, output: [exampleImport] },
  run: ({ dataset: into, status, limit, cursor }, _call, services) =>
    listOwn(
      services,
      { view: imports.name, filter: { dataset: into, status }, order: '-begunAt', limit, cursor },
      (found: ImportDocument) => found,
    ),
});

export const getImport = defineOperation({
  name: 'getImport',
  summary: 'One import: from which source, and what became of its rows.',
  description: 'An import that changed nothing has no id.',
  tag: 'operator',
  kind: 'query',
  scope: 'operator:write',
  input: z.strictObject({
    importId: idSchema('import').meta({ description: 'Which.', example: importId }),
  }),
  output: importDocument,
  refusals: ['not_found'],
  example: { input: { importId }, output: exampleImport },
  async run({ importId: wanted }, _call, { views }) {
    const found = await readView(views, imports, wanted);
    return found === undefined
      ? refuse('not_found', `there is no import ${wanted}`)
      : { ok: true, data: found };
  },
});
