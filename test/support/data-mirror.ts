/** A mirror of the Data API that is kept by /api/v1/changes alone, and what lists and exports have in its place. */
import { expect } from 'chai';
import fc from 'fast-check';
import { type ExportFormat, fileNameOf, placeOf, rowWriter } from '../../src/exporting/row-formats.ts';
import type { DataApi } from './data-api.ts';

/** In the order of the last changes. */
type Mirror = Map<string, Readonly<Record<string, unknown>>>;

const nameOf = (row: Readonly<Record<string, unknown>>) => `${String(row['dataset'])} ${String(row['id'])}`;

/** Reads to the end, into the mirror; answers with where that was. */
async function follow(api: DataApi, mirror: Mirror, after: string | null): Promise<string> {
  for (let at = after; ;) {
    const answer = await api.read(`/api/v1/changes?limit=3${at === null ? '' : `&after=${at}`}`);
    expect(answer.status).to.equal(200);
    for (const row of answer.body.data) {
      mirror.delete(nameOf(row));
      mirror.set(nameOf(row), row);
    }
    at = encodeURIComponent(String(answer.body.meta['cursor']));
    if (answer.body.meta['nextCursor'] === null) return at;
  }
}

async function listsOf(api: DataApi): Promise<Mirror> {
  const { body } = await api.read('/api/v1/directory?limit=100');
  const mirror: Mirror = new Map();
  for (const dataset of ['tools', 'models', ...body.data.map((set) => String(set['dataset']))]) {
    const answers = await api.walk(`/api/v1/${dataset}?status=all&limit=100`);
    for (const row of answers.flatMap((answer) => [...answer.body.data])) mirror.set(nameOf(row), row);
  }
  return mirror;
}

const sorted = (mirror: Mirror) => [...mirror].toSorted(([a], [b]) => (a < b ? -1 : 1));

const DATASETS = ['tools', 'models', 'directory/mcp/servers', 'directory/home-assistant/themes'];
const name = fc.constantFrom(...'abcdefgh'.split(''));
/** What is written otherwise in CSV than in JSON, and what spreadsheets would run. */
const note = fc.constantFrom<unknown>(
  'one',
  'two',
  '=1+1',
  '-5',
  -5,
  'a, "b"',
  'two\r\nlines',
  'é',
  null,
  ['@x'],
  {
    b: '=2',
    a: 1.5,
  },
);
const row = fc.record({ name, category: note, note });
const step = fc.record({
  dataset: fc.constantFrom(...DATASETS),
  rows: fc.uniqueArray(row, { minLength: 1, maxLength: 8, selector: (one) => one.name }),
  isComplete: fc.boolean(),
  looks: fc.boolean(),
});

/** The file that the mirror makes of its listed rows. */
function fileOf(mirror: Mirror, dataset: string, format: ExportFormat): string {
  const kind = dataset === 'tools' || dataset === 'models' ? dataset : 'directory';
  const { head, write } = rowWriter(format, placeOf({ kind, dataset }).columns);
  const rows = [...mirror.values()].filter((row) => row['dataset'] === dataset && row['status'] === 'listed');
  return head + rows.map((row) => write(JSON.stringify(row), row)).join('');
}

async function expectExportsToAgree(api: DataApi, mirror: Mirror): Promise<void> {
  const datasets = new Set([...mirror.values()].map((row) => String(row['dataset'])));
  for (const dataset of datasets)
    for (const format of ['csv', 'jsonl'] as const) {
      const file = fileNameOf(dataset, format);
      const { status, text } = await api.read(`/api/v1/export/${file}`);
      expect([status, text], file).to.deep.equal([200, fileOf(mirror, dataset, format)]);
    }
}

/** After imports of any kind, looked at in between or not, a mirror has what the lists have, retired rows too, and what exports have. */
export async function expectMirrorsToAgree(api: DataApi, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
      const mirror: Mirror = new Map();
      let after: string | null = null;
      for (const { dataset, rows, isComplete, looks } of steps) {
        const asSource = rows.map((one) => ({ id: one.name, externalId: one.name, ...one }));
        await api.importInto(dataset, asSource, { isComplete, mayRetireMany: true });
        if (looks) after = await follow(api, mirror, after);
      }
      await follow(api, mirror, after);
      expect(sorted(mirror)).to.deep.equal(sorted(await listsOf(api)));
      await expectExportsToAgree(api, mirror);
    }),
    { numRuns },
  );
}
