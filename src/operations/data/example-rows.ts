/** The rows of the examples: an import of each kind through the real decider and views, so that they agree. */
import { type DataSetCommand, dataSetDecider } from '../../../commands/data-set/data-set.ts';
import type { ImportedRow } from '../../../events/data-set-events.ts';
import { idFrom } from '../../../events/ids.ts';
import { dataSets } from '../../../projections/data-sets.ts';
import { directoryRows } from '../../../projections/directory-rows.ts';
import { models } from '../../../projections/models.ts';
import { replay } from '../../../projections/replay.ts';
import { tools } from '../../../projections/tools.ts';
import { inLogOrder, streamOf } from '../directory/example-history.ts';

const AT = '2026-11-27T09:30:00.000Z';
const COUNTS = { added: 1, changed: 0, returned: 0, retired: 0, unchanged: 0, refused: 0 };

const exampleAttribution = {
  text: 'Ledger lists and their contributors',
  url: 'https://lists.example/',
  licence: 'CC-BY-4.0',
};

const tool = row('row_5d2fz0v8k3m1q7xw', {
  name: 'Ledger Lens',
  url: 'https://ledger.example/',
  category: 'Finance',
  description: 'Reads a general ledger.',
  pricing: 'open-source',
  source: 'ledger-list',
});
const server = row('io.example/ledger', {
  externalId: 'io.example/ledger',
  name: 'Ledger',
  url: 'https://ledger.example/mcp',
  category: 'Finance',
  description: 'Reads a general ledger.',
  version: '1.4.0',
});
const model = row('acme/lens-2', {
  id: 'acme/lens-2',
  canonical_slug: 'acme/lens-2-20260101',
  name: 'Acme: Lens 2',
  created: 1_767_225_600,
  description: 'A small model for ledgers.',
  context_length: 131_072,
  architecture: {
    modality: 'text+image->text',
    input_modalities: ['text', 'image'],
    output_modalities: ['text'],
    tokenizer: 'Other',
    instruct_type: null,
  },
  pricing: { prompt: '0.0000003', completion: '0.0000011' },
  top_provider: { context_length: 131_072, max_completion_tokens: 98_304, is_moderated: false },
  supported_parameters: ['max_tokens', 'tools'],
});

export const EXAMPLE_PLATFORM = 'mcp';
export const EXAMPLE_CONTENT_TYPE = 'servers';
const EXAMPLE_DIRECTORY = `directory/${EXAMPLE_PLATFORM}/${EXAMPLE_CONTENT_TYPE}`;

const history = inLogOrder(
  imported('tools', tool),
  imported(EXAMPLE_DIRECTORY, server),
  imported('models', model),
);

export const exampleTool = the(replay(tools, history));
export const exampleServer = the(replay(directoryRows, history));
export const exampleModel = the(replay(models, history));
export const exampleDirectory = the(
  new Map([...replay(dataSets, history)].filter(([dataset]) => dataset === EXAMPLE_DIRECTORY)),
);

function row(id: string, fields: ImportedRow['fields']): ImportedRow {
  return { id, digest: 'n4bQgYhMfWWaL-qgxVrQFa', fields };
}

function imported(dataset: string, only: ImportedRow) {
  const command: DataSetCommand = {
    type: 'BeginImport',
    terms: {
      dataset,
      importId: idFrom('import', AT, dataset),
      source: { kind: 'file', name: 'rows.jsonl', sha256: '0'.repeat(64), bytes: 420 },
      attribution: exampleAttribution,
      isComplete: false,
      counts: COUNTS,
      batches: 1,
    },
    after: null,
    first: [{ type: 'RowsListed', rows: [only] }],
  };
  return streamOf(dataSetDecider, dataset, [AT, command]);
}

function the<Document>(documents: ReadonlyMap<string, Document>): Document {
  const [document] = documents.values();
  if (document === undefined) throw new Error('an example has no row');
  return document;
}
