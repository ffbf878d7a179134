/**
 * What the views of the three kinds of data sets have in common. A row stays in its view when it is retired. So its
 * place in the order `position` is that of its last change, and a reader of that order sees every change of every row:
 * what changes again meanwhile moves to the end, and a retirement is the tombstone of its row.
 */
import { z } from 'zod';
import type { DomainEvent } from '../events/catalog.ts';
import type { Attribution, ImportedRow } from '../events/data-set-events.ts';
import type { Handler, Handlers } from './projection.ts';
import { nullableTextField, textField, timeField } from './public-fields.ts';
import { RETIRED_SHOWN_DAYS, shownUntilDay } from './retired-rows.ts';
import type { FieldType, FieldValue, OrderTerm } from './view-store.ts';
import { sortableName } from './words.ts';

/** What a row has beside what its source says. */
export const rowFields = {
  id: textField(
    'Its name in the data set: the source’s own where it gives one. Stays the same.',
    'row_5d2fz0v8k3m1q7xw',
  ),
  dataset: textField('The data set it belongs to.', 'tools'),
  status: z.enum(['listed', 'retired']).meta({
    description: `\`retired\`: its source lists it no more; it can be read for ${RETIRED_SHOWN_DAYS} days more. It may return, under the same id.`,
    example: 'listed',
  }),
  firstSeenAt: timeField('When it was first listed.'),
  updatedAt: timeField('When it last changed, was retired or returned.'),
  position: textField('Where its last change stands among all changes. Opaque.', '0000000000000042'),
  sourceUrl: nullableTextField(
    'Where its source says more about it; null where it gives no address of its own.',
    'https://ledger.example/',
  ),
  attribution: nullableTextField(
    'Whom to name where the row is shown.',
    'awesome-ai-tools and its contributors',
  ),
};

export type DataRow = { readonly [Name in keyof typeof rowFields]: z.output<(typeof rowFields)[Name]> };

/** Which every view of rows can be filtered by: `updatedAtMs` in Unix milliseconds, `shownUntilDay` in days since 1970. */
export const rowIndexFields = {
  status: 'text',
  updatedAtMs: 'integer',
  shownUntilDay: 'integer',
  nameKey: 'text',
  position: 'text',
} as const satisfies Readonly<Record<string, FieldType>>;

export const rowOrders = {
  name: [{ field: 'nameKey', direction: 'asc' }],
  position: [{ field: 'position', direction: 'asc' }],
  relevance: [{ field: 'nameKey', direction: 'asc' }],
} as const satisfies Readonly<Record<string, readonly OrderTerm[]>>;

/** @param name by which it is sorted */
export function rowIndex(row: DataRow, name: string): Record<keyof typeof rowIndexFields, FieldValue> {
  return {
    status: row.status,
    updatedAtMs: Date.parse(row.updatedAt),
    shownUntilDay: shownUntilDay(row),
    nameKey: sortableName(name).slice(0, MAX_INDEXED_CHARS),
    position: row.position,
  };
}

/** Engines take index entries of some hundred bytes. */
const MAX_INDEXED_CHARS = 120;

/** A text of a row as it is filtered by, whatever its case: what is asked for goes through the same function. */
export function filterText(text: string): string {
  return text.trim().toLowerCase().slice(0, MAX_INDEXED_CHARS);
}

/** A text of its source; absent where its source says something else under its name. */
export const sourceText = (description: string, example: string) =>
  z.unknown().optional().meta({ type: 'string', description, example });

/** What {@link asSourceSays} keeps of fields that are not what they are described as. */
export const hiddenFields = z.record(z.string(), z.unknown()).optional().meta({
  description:
    'What the source says under names that are ours here, and where others are texts and its own is none.',
  example: {},
});

/** A field of a row that is a text; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** How a row's own text stands in the index; null for what is no text. */
export function indexedText(value: unknown): string | null {
  return filterText(textOf(value)) || null;
}

/** The address a row gives, if it is one of the web. */
export function webAddressOf(value: unknown): string | null {
  if (typeof value !== 'string' || !/^https?:\/\//i.test(value)) return null;
  return URL.canParse(value) ? value : null;
}

export type RowEvent = Extract<
  DomainEvent,
  { readonly type: 'RowsListed' | 'RowsRevised' | 'RowsReturned' | 'RowsRetired' }
>;
type FilledEvent = Exclude<RowEvent, { readonly type: 'RowsRetired' }>;

export interface RowsView<Row extends DataRow> {
  /** Whether the view shows this data set. */
  readonly shows: (dataset: string) => boolean;
  /** The key of a row in the view. */
  readonly keyOf: (dataset: string, id: string) => string;
  /** The row as it is served, of what its source says and what we add. */
  readonly rowOf: (row: ImportedRow, added: Omit<DataRow, 'sourceUrl'>) => Row;
}

export function rowHandlers<Row extends DataRow>(view: RowsView<Row>): Handlers<Row> {
  const { shows, keyOf, rowOf } = view;
  const keysOf = (dataset: string, ids: readonly string[]): readonly string[] =>
    shows(dataset) ? ids.map((id) => keyOf(dataset, id)) : [];

  function show(event: FilledEvent, key: string, firstSeenAt: string): Row | undefined {
    const { dataset, rows, attribution } = event.data;
    const row = rows.find(({ id }) => keyOf(dataset, id) === key);
    return row && rowOf(row, { ...addedBy(event, attribution), id: row.id, firstSeenAt });
  }
  const filled = <Event extends FilledEvent>(creates: boolean): Handler<Row, Event> => ({
    ...(creates ? { creates: true } : {}),
    keys: ({ data }) =>
      keysOf(
        data.dataset,
        data.rows.map(({ id }) => id),
      ),
    apply: (before, event, key) => show(event, key, before?.firstSeenAt ?? event.at),
  });
  return {
    RowsListed: filled(true),
    RowsRevised: filled(false),
    RowsReturned: filled(false),
    RowsRetired: {
      keys: ({ data }) => keysOf(data.dataset, data.ids),
      apply: (before, { at, position }) =>
        before && { ...before, status: 'retired', updatedAt: at, position },
    },
  };
}

function addedBy({ data, at, position }: FilledEvent, attribution: Attribution | null) {
  return {
    dataset: data.dataset,
    status: 'listed' as const,
    updatedAt: at,
    position,
    attribution: attribution?.text ?? null,
  };
}

/** A source's own field of this name stands in it too. */
const SOURCE_FIELDS = 'sourceFields';

/**
 * What the source says under its own names, with our fields in front of any of the same name. What those hide, and what is
 * no text where the field is one, is kept under `sourceFields`: one odd row breaks no reader of the list.
 * @param texts names of the fields that are texts
 */
export function asSourceSays<Added extends DataRow>(
  fields: ImportedRow['fields'],
  added: Added,
  texts: ReadonlySet<string>,
) {
  const hidden = Object.entries(fields).filter(([name, value]) =>
    Object.hasOwn(added, name)
      ? value !== added[name as keyof Added]
      : name === SOURCE_FIELDS || isNoText(name, value, texts),
  );
  if (hidden.length === 0) return { ...fields, ...added };
  const shown: Record<string, unknown> = { ...fields };
  for (const [name] of hidden) delete shown[name];
  return { ...shown, ...added, [SOURCE_FIELDS]: Object.fromEntries(hidden) };
}

function isNoText(name: string, value: unknown, texts: ReadonlySet<string>): boolean {
  return texts.has(name) && typeof value !== 'string';
}

/** What a report says of such fields. One that is null says nothing. */
export function oddTexts(fields: ImportedRow['fields'], texts: ReadonlySet<string>): readonly string[] {
  const odd: string[] = [];
  // By the few names, not by the fields: it is asked of every row that an import changes.
  for (const name of texts)
    if (fields[name] !== undefined && fields[name] !== null && isNoText(name, fields[name], texts))
      odd.push(`${name} is no text, and kept under sourceFields`);
  return odd;
}
