/** What the registry of the views keeps as JSON, which a disk may have changed. */
import { z } from 'zod';
import { type CollectionSpec, type StuckAt, ViewsUnavailable } from '../../projections/view-store.ts';

const fieldSchema = z.string().regex(/^[a-zA-Z][a-zA-Z0-9_]*$/);
const specSchema = z
  .object({
    name: z.string(),
    version: z.int(),
    fields: z.record(fieldSchema, z.enum(['text', 'integer', 'texts'])),
    orders: z.record(
      z.string(),
      z.array(z.object({ field: fieldSchema, direction: z.enum(['asc', 'desc']) })),
    ),
    searchable: z.boolean().default(false),
  })
  .refine(({ fields, orders }) =>
    Object.values(orders).every((terms) => terms.every(({ field }) => Object.hasOwn(fields, field))),
  );
const stuckSchema = z.object({
  position: z.string(),
  eventId: z.string(),
  error: z.string(),
  at: z.string(),
});

interface Stored {
  readonly view: string;
  readonly version: number;
  readonly spec: string;
}

/** @throws {ViewsUnavailable} it is not what was written */
export function parseSpec({ view, version, spec }: Stored): CollectionSpec {
  const parsed = parse(specSchema, spec);
  if (parsed.name === view && parsed.version === version) return parsed;
  throw changed(`it knows ${view} ${version} as ${parsed.name} ${parsed.version}`);
}

/** @throws {ViewsUnavailable} it is not what was written */
export function parseStuck(text: string): StuckAt {
  return parse(stuckSchema, text);
}

function parse<Parsed>(schema: z.ZodType<Parsed>, text: string): Parsed {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw changed('its text cannot be read', error);
  }
}

function changed(what: string, cause?: unknown): ViewsUnavailable {
  return new ViewsUnavailable(
    `the registry of the views is damaged, ${what}: remove views.db with its -wal and -shm, and they are built anew`,
    { cause },
  );
}
