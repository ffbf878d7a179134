import { z } from 'zod';
import { dataSetDocument, type DataSetDocument, dataSets } from '../../../projections/data-sets.ts';
import { EXPORT_FORMATS, fileNameOf } from '../../exporting/row-formats.ts';
import { dataRead } from '../metering.ts';
import { defineOperation } from '../operation.ts';
import { refuseWithoutExport, urlOf } from './export-schema.ts';
import { textField } from '../../../projections/public-fields.ts';
import { exampleFrom } from '../example-from.ts';
import { everyRow } from '../walk-view.ts';

/** There is one for each content type of a platform. */
const MOST_SETS = 1_000;

const exportSchema = z
  .strictObject({
    dataset: dataSetDocument.shape.dataset,
    listed: dataSetDocument.shape.listed,
    updatedAt: dataSetDocument.shape.updatedAt,
    position: dataSetDocument.shape.position,
    attribution: dataSetDocument.shape.attribution,
    files: z
      .array(
        z
          .strictObject({
            file: textField('Its name.', 'tools.csv'),
            url: textField('Where it is.', 'https://market.example/api/v1/export/tools.csv'),
            manifestUrl: textField(
              'Where its position, size and digest are.',
              'https://market.example/api/v1/export/tools.csv/manifest',
            ),
          })
          .meta({ id: 'ExportFile', description: 'A data set in one of the formats.' }),
      )
      .meta({ description: 'The data set in each format.' }),
  })
  .meta({ id: 'Export', description: 'A data set that can be had whole.' });

export const listExports = defineOperation({
  ...dataRead,
  name: 'listExports',
  summary: 'Which data sets can be had whole, as which files.',
  description: 'With the plan enterprise.',
  input: z.strictObject({}),
  output: z.array(exportSchema),
  refusals: ['plan_required'],
  example: {
    input: {},
    output: [{ ...exampleFrom(exportSchema), dataset: 'tools' }],
  },
  async run(_input, call, { views, metering, baseUrl }) {
    const refused = await refuseWithoutExport(call, metering);
    if (refused !== null) return refused;
    const byName = { filter: {}, order: 'dataset' };
    const sets = await everyRow<DataSetDocument>(views, dataSets.name, byName, MOST_SETS);
    return { ok: true, data: sets.map((set) => show(set, baseUrl)) };
  },
});

function show({ dataset, listed, updatedAt, position, attribution }: DataSetDocument, baseUrl: string) {
  const files = EXPORT_FORMATS.map((format) => {
    const file = fileNameOf(dataset, format);
    const url = urlOf(file, baseUrl);
    return { file, url, manifestUrl: `${url}/manifest` };
  });
  return { dataset, listed, updatedAt, position, attribution, files };
}
