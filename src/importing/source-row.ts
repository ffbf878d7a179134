/** A row as it stands in a source, before anything is known of the data set that it goes into. */

/** `line` counts from 1. */
export type SourceRow =
  | { readonly line: number; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly line: number; readonly refusal: string };

export const ROW_FORMATS = ['jsonl', 'json', 'csv'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

/** A longer one is refused: it would fill an event by itself. */
export const MAX_ROW_BYTES = 64 * 1_024;

/** A row may have so many, and a header so many columns: each record is read into all of them. */
export const MAX_FIELDS = 200;

/** The source as a whole is not what it should be: nothing of it is taken. */
export class UnreadableSource extends Error {
  override readonly name = 'UnreadableSource';
}

/** It ends before it should. */
export class CutShort extends UnreadableSource {}
