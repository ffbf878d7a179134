/** Says of each optional field of a body that it may be null as well, which means that it is absent. */
import { type Document, isSchema, type Schema } from './named-schemas.ts';

/** In place, before the objects are moved into the components. */
export function allowNullForAbsent(document: object): void {
  const { paths } = document as Document; // as the generator makes it
  for (const { requestBody } of Object.values(paths).flatMap((path) => Object.values(path))) {
    const json = requestBody?.content?.['application/json'];
    if (json !== undefined) allowWithin(json.schema);
  }
}

function allowWithin({ properties, required, items }: Schema): void {
  if (isSchema(items)) allowWithin(items);
  if (!isSchema(properties)) return;
  const needed = Array.isArray(required) ? required : [];
  for (const [name, field] of Object.entries(properties)) {
    if (!isSchema(field)) continue;
    allowWithin(field);
    if (!needed.includes(name)) properties[name] = orNull(field);
  }
}

/** An enum keeps its one type: null stands beside it. */
function orNull(schema: Schema): Schema {
  const { type } = schema;
  if (typeof type === 'string' && !('enum' in schema)) return { ...schema, type: [type, 'null'] };
  if (Array.isArray(type) || (type === undefined && !('$ref' in schema))) return schema;
  return { anyOf: [schema, { type: 'null' }] };
}
