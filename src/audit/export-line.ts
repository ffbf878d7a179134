/**
 * A line of an audit export: canonical JSON with its number, the hash of the line before and its own. One text for one
 * content, so that a single changed character shows; a chain over the file beside the chains within it.
 */
import { z } from 'zod';
import { canonicalJson } from '../../events/canonical-json.ts';
import { sha256 } from '../../events/common.ts';
import type { RecordedEvent } from '../../events/event.ts';
import { GENESIS, sha256Hex } from '../../events/hash-chain.ts';

export const EXPORT_VERSION = 2;
/** Version 1 did not say what it was of, and held the hashes of secrets. */
export const KNOWN_VERSIONS: readonly number[] = [1, EXPORT_VERSION];

const eventSchema = z.strictObject({
  id: z.string(),
  type: z.string(),
  version: z.int(),
  streamId: z.string(),
  revision: z.int(),
  position: z.string(),
  at: z.string(),
  data: z.looseObject({}),
  meta: z.looseObject({
    actor: z.string(),
    requestId: z.string(),
    commandId: z.string(),
    prev: z.string().optional(),
  }),
});

/** What an export is of. */
const scopeSchema = z.union([
  z.literal('all'),
  z.strictObject({ accountId: z.string() }),
  z.strictObject({ mandateId: z.string() }),
]);
export type ExportScope = z.output<typeof scopeSchema>;

const bodySchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('begin'),
    format: z.literal('bourse-audit'),
    version: z.int(),
    exportedAt: z.string(),
    of: scopeSchema.optional(),
  }),
  z.strictObject({ kind: z.literal('event'), event: eventSchema, hash: sha256.optional() }),
  z.strictObject({ kind: z.literal('end'), events: z.int() }),
]);
export type ExportBody =
  | Exclude<z.output<typeof bodySchema>, { kind: 'event' }>
  | {
      readonly kind: 'event';
      readonly event: RecordedEvent;
      /** The event's own, where its text was left out and it cannot be worked out. */
      readonly hash?: string;
    };

const lineSchema = z.strictObject({ body: bodySchema, hash: sha256, n: z.int().min(0), prev: sha256 });
export interface ExportLine {
  readonly body: ExportBody;
  readonly hash: string;
  readonly n: number;
  readonly prev: string;
}

/** Before the first line. */
export const FIRST_PREV = GENESIS;

export function exportLine(
  n: number,
  prev: string,
  body: ExportBody,
): { readonly text: string; readonly hash: string } {
  const hash = lineHash(n, prev, body);
  return { text: canonicalJson({ body, hash, n, prev }), hash };
}

function lineHash(n: number, prev: string, body: ExportBody): string {
  return sha256Hex(canonicalJson({ body, n, prev }));
}

/** The line, or what is wrong with its text taken alone. */
export function readLine(text: string): ExportLine | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) return 'it is not a line of an export';
  if (!isCanonical(text, value)) return 'its text is not as it was written';
  // `requestHash` and the like are optional texts of the envelope; the schema has checked what is read of it.
  const line = parsed.data as unknown as ExportLine;
  return lineHash(line.n, line.prev, line.body) === line.hash
    ? line
    : 'its content is not what its hash says';
}

/** What has no canonical text was not written by us. */
function isCanonical(text: string, value: unknown): boolean {
  try {
    return canonicalJson(value) === text;
  } catch {
    return false;
  }
}
