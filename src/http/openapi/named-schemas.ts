/**
 * Gives every object in the document a name: a generator would number those without one, and the numbers move with each
 * operation that is added. A request, an answer and a row are named by their operation, what is within them by its field.
 */

export type Schema = Record<string, unknown>;

interface Operation {
  readonly operationId: string;
  readonly requestBody?: Contents;
  readonly responses: Record<string, Contents>;
}
interface Contents {
  readonly content?: Record<string, { schema: Schema }>;
}
/** As the generator makes it. */
export interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

/** Moves the objects into the components, in place. @throws for two different objects of one name */
export function nameSchemas(document: object): void {
  const { paths, components } = document as Document; // as the generator makes it
  const named = new Map(Object.entries(components.schemas));
  const name = namer(named);
  for (const [id, schema] of Object.entries(components.schemas)) nameWithin(schema, id, name);
  for (const path of Object.values(paths)) {
    for (const { operationId, requestBody, responses } of Object.values(path)) {
      const own = operationId.charAt(0).toUpperCase() + operationId.slice(1);
      nameContents(requestBody, `${own}Request`, name);
      for (const response of Object.values(responses)) nameContents(response, `${own}Answer`, name);
    }
  }
  for (const [id, schema] of [...named].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    delete components.schemas[id];
    components.schemas[id] = schema;
  }
}

type Namer = (schema: Schema, name: string) => Schema;

function namer(named: Map<string, Schema>): Namer {
  return (schema, name) => {
    const known = named.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two different schemas of the description would be named ${name}`);
    named.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  };
}

function nameContents(contents: Contents | undefined, name: string, named: Namer): void {
  const json = contents?.content?.['application/json'];
  if (json !== undefined) json.schema = withName(json.schema, name, named);
}

/** The schema to stand in its place: a reference if it is an object with fields. */
function withName(schema: Schema, name: string, named: Namer): Schema {
  nameWithin(schema, name, named);
  if (!('properties' in schema)) return schema;
  const { type, description, ...rest } = schema;
  const isNullable = Array.isArray(type) && type.includes('null');
  const reference = named(
    { type: 'object', ...(description === undefined ? {} : { description }), ...rest },
    name,
  );
  return isNullable ? { anyOf: [reference, { type: 'null' }] } : reference;
}

function nameWithin(schema: Schema, name: string, named: Namer): void {
  const { properties, items, additionalProperties } = schema;
  if (isSchema(properties)) {
    for (const [field, inner] of Object.entries(properties)) {
      if (isSchema(inner)) properties[field] = withName(inner, fieldName(name, field), named);
    }
  }
  if (isSchema(items)) schema['items'] = withName(items, itemName(name), named);
  if (isSchema(additionalProperties))
    schema['additionalProperties'] = withName(additionalProperties, `${name}Value`, named);
}

/** `ListAgentsAnswer` holds `ListAgentsData` and `ListAgentsMeta`, `Agent` holds `AgentPricing`. */
function fieldName(name: string, field: string): string {
  const capital = field.charAt(0).toUpperCase() + field.slice(1);
  return `${name.replace(/Answer$/, '')}${capital}`;
}

/** What a list holds: `ListAgentsRow` of `ListAgentsData`. */
function itemName(name: string): string {
  return name.endsWith('Data') ? `${name.slice(0, -'Data'.length)}Row` : `${name}Item`;
}

export function isSchema(value: unknown): value is Schema {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
