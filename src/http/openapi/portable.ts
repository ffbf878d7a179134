/**
 * Says what the schemas mean in the words that generators of clients and validators of other languages understand.
 * Nothing is said that is not so: only another spelling of the same, or less where no common spelling exists.
 */
import { isSchema, type Schema } from './named-schemas.ts';

type Json = unknown;

/** What is no schema although it stands in one. */
const VALUES = new Set(['example', 'examples', 'default', 'enum', 'required', 'x-refusal-codes']);
/** What stands for any JSON value (any-json.ts). */
const ANY = 6;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const MAX_SAFE = Number.MAX_SAFE_INTEGER;

/** The document with each of its schemas in that spelling. */
export function portable(document: object): object {
  return inPortableWords(document) as object; // an object stays one
}

function inPortableWords(node: Json): Json {
  if (Array.isArray(node)) return node.map(inPortableWords);
  if (!isSchema(node)) return node;
  const spelt = Object.entries(node).map(([name, value]) => [
    name,
    VALUES.has(name) ? value : inPortableWords(value),
  ]);
  return RULES.reduce((schema, rule) => rule(schema), Object.fromEntries(spelt) as Schema);
}

const RULES: readonly ((schema: Schema) => Schema)[] = [
  withoutListOfAllTypes,
  withTimeFormat,
  withIntegerBounds,
  withoutNumericEnum,
  withoutNullInEnum,
  withCommonPattern,
  withoutRequiredNullableLists,
  withOtherFields,
];

/** Any JSON value is a schema without a type. */
function withoutListOfAllTypes({ type, ...rest }: Schema): Schema {
  return Array.isArray(type) && type.length === ANY
    ? rest
    : { ...(type === undefined ? {} : { type }), ...rest };
}

/** Every field shows an example; one that shows a time is a time. */
function withTimeFormat(schema: Schema): Schema {
  const { pattern: _pattern, ...rest } = schema;
  const isTime =
    hasType(schema, 'string') && typeof schema['example'] === 'string' && TIME.test(schema['example']);
  return isTime ? { ...rest, format: 'date-time' } : schema;
}

/** Beyond 2^53 a number in JSON is not the same to all readers. */
function withIntegerBounds(schema: Schema): Schema {
  if (!hasType(schema, 'integer')) return schema;
  return { minimum: -MAX_SAFE, maximum: MAX_SAFE, ...schema, format: 'int64' };
}

function withoutNumericEnum(schema: Schema): Schema {
  const { enum: values, ...rest } = schema;
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'number')) return schema;
  return { ...rest, minimum: Math.min(...values), maximum: Math.max(...values) };
}

/** An enum has one type: where null is allowed too, the description lists the words. */
function withoutNullInEnum(schema: Schema): Schema {
  const { enum: values, description, ...rest } = schema;
  if (!Array.isArray(values) || !values.includes(null)) return schema;
  const words = values.filter((value) => value !== null).map((value) => `\`${String(value)}\``);
  return { ...rest, description: `${String(description)} One of ${words.join(', ')}; or null.` };
}

/**
 * Patterns as ECMAScript, Java, Python, .NET and RE2 read them alike: no flags (the generator leaves the end of `/…/u`
 * in them), no classes of Unicode, and characters themselves where escapes differ.
 */
function withCommonPattern(schema: Schema): Schema {
  const { pattern } = schema;
  if (typeof pattern !== 'string') return schema;
  const common = pattern
    .replace(/(?<!\\)\/[a-z]+$/, '')
    .replaceAll(String.raw`\p{Cc}`, String.raw`\x00-\x1f\x7f-\x9f`)
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return { ...schema, pattern: common };
}

/** Readers that openapi-generator makes for Java take a required list for one that is never null, and throw on null. */
function withoutRequiredNullableLists(schema: Schema): Schema {
  const { properties, required } = schema;
  if (!isSchema(properties) || !Array.isArray(required)) return schema;
  return { ...schema, required: required.filter((name) => !mayBeNullList(properties[String(name)])) };
}

/** Where nothing is said of other fields, clients that openapi-generator makes for Go refuse some of them. */
function withOtherFields(schema: Schema): Schema {
  const { properties, additionalProperties: others } = schema;
  if (!isSchema(properties) || !isSchema(others) || Object.keys(others).length > 0) return schema;
  return { ...schema, additionalProperties: { description: 'What a field holds that is not named here.' } };
}

function mayBeNullList(field: Json): boolean {
  return isSchema(field) && hasType(field, 'array') && hasType(field, 'null');
}

function hasType({ type }: Schema, wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && type.includes(wanted));
}
