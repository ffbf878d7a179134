/**
 * A model as it is served, of a row in the form of the upstream router. Whatever the row holds, it is read as far as it
 * can be: what is missing or odd is null or empty in the document, and never spoils the rest.
 */
import { z } from 'zod';
import type { ImportedRow } from '../events/data-set-events.ts';
import { type DataRow, rowFields } from './data-rows.ts';
import { DYNAMIC_PRICE, perMillion } from './token-price.ts';
import { flagField, nullableCountField, nullableTextField, textField, textsField } from './public-fields.ts';

const prices = (description: string, example: Record<string, string>) =>
  z.record(z.string(), z.string().nullable()).meta({ description, example });

export const modelDocument = z
  .looseObject({
    ...rowFields,
    name: textField('Its name.', 'Acme: Lens 2'),
    canonicalSlug: nullableTextField('Its permanent name at the router.', 'acme/lens-2-20260101'),
    provider: nullableTextField('What its id begins with.', 'acme'),
    description: nullableTextField('What it does.', 'A small model for ledgers.'),
    createdAt: nullableTextField('When the router first had it.', '2026-01-01T00:00:00.000Z'),
    contextLength: nullableCountField('How many tokens it takes in all.', 131_072),
    architecture: z
      .strictObject({
        modality: nullableTextField('What goes in and comes out, in short.', 'text+image->text'),
        inputModalities: textsField('What goes in.', ['text', 'image']),
        outputModalities: textsField('What comes out.', ['text']),
        tokenizer: nullableTextField('Its tokenizer.', 'Other'),
        instructType: nullableTextField('Its form of instructions.', 'chatml'),
      })
      .meta({
        description: 'What it takes and gives.',
        example: {
          modality: 'text->text',
          inputModalities: ['text'],
          outputModalities: ['text'],
          tokenizer: 'Other',
          instructType: null,
        },
      }),
    pricing: prices(
      'US dollars for one token, image or request, as the router writes them. `-1`: it depends.',
      {
        prompt: '0.0000003',
        completion: '0.0000011',
      },
    ),
    perMillion: prices(
      'US dollars for a million tokens, of those prices that are for tokens; null where it depends.',
      { prompt: '0.3', completion: '1.1' },
    ),
    dynamicPricing: flagField('Whether a price depends on where a request is routed to.', false),
    topProvider: z
      .strictObject({
        contextLength: nullableCountField('How many tokens it takes in all there.', 131_072),
        maxCompletionTokens: nullableCountField('How many tokens it gives at most there.', 98_304),
        isModerated: z
          .boolean()
          .nullable()
          .meta({ description: 'Whether it is moderated there.', example: false }),
      })
      .meta({
        description: 'At the provider that serves it best.',
        example: { contextLength: 131_072, maxCompletionTokens: 98_304, isModerated: false },
      }),
    supportedParameters: textsField('What can be set in a request.', ['max_tokens', 'tools']),
    knowledgeCutoff: nullableTextField('Until when it knows the world.', '2025-04'),
    expiresAt: nullableTextField('When the router will have it no more.', '2027-01-01T00:00:00.000Z'),
  })
  .meta({ id: 'Model', description: 'A model of the catalogue.' });
export type ModelDocument = DataRow & z.output<typeof modelDocument>;

/** Of prices that are for one token each; those of images, requests and searches have no million tokens. */
const TOKEN_PRICES = new Set([
  'prompt',
  'completion',
  'internal_reasoning',
  'input_cache_read',
  'input_cache_write',
]);

/** From this year on an end is a way to write that there is none. */
const SENTINEL_YEAR = 2098;

/** The fields that a document has of its own; others are kept under their names in camel case. */
const READ = new Set([
  'id',
  'name',
  'canonical_slug',
  'description',
  'created',
  'context_length',
  'architecture',
  'pricing',
  'top_provider',
  'supported_parameters',
  'knowledge_cutoff',
  'expiration_date',
]);

export function readModel(
  { id, fields }: ImportedRow,
  added: Omit<DataRow, 'sourceUrl'>,
): { readonly document: ModelDocument; readonly odd: readonly string[] } {
  const odd: string[] = [];
  const read = reader(odd);
  const architecture = read.object(fields['architecture'], 'architecture');
  const top = read.object(fields['top_provider'], 'top_provider');
  const modality = read.text(architecture['modality'], 'architecture.modality');
  const { pricing, perMillionTokens } = readPrices(read.object(fields['pricing'], 'pricing'), odd);
  const document = {
    ...otherFields(fields),
    ...added,
    sourceUrl: null,
    name: read.text(fields['name'], 'name') ?? id,
    canonicalSlug: read.text(fields['canonical_slug'], 'canonical_slug'),
    provider: id.includes('/') ? id.slice(0, id.indexOf('/')) : null,
    description: read.text(fields['description'], 'description'),
    createdAt: read.seconds(fields['created'], 'created'),
    contextLength: read.count(fields['context_length'], 'context_length'),
    architecture: {
      modality,
      inputModalities: read.modalities(architecture, 'input_modalities', modality?.split('->')[0]),
      outputModalities: read.modalities(architecture, 'output_modalities', modality?.split('->')[1]),
      tokenizer: read.text(architecture['tokenizer'], 'architecture.tokenizer'),
      instructType: read.text(architecture['instruct_type'], 'architecture.instruct_type'),
    },
    pricing,
    perMillion: perMillionTokens,
    dynamicPricing: Object.values(pricing).includes(DYNAMIC_PRICE),
    topProvider: {
      contextLength: read.count(top['context_length'], 'top_provider.context_length'),
      maxCompletionTokens: read.count(top['max_completion_tokens'], 'top_provider.max_completion_tokens'),
      isModerated: typeof top['is_moderated'] === 'boolean' ? top['is_moderated'] : null,
    },
    supportedParameters: read.texts(fields['supported_parameters'], 'supported_parameters'),
    knowledgeCutoff: read.text(fields['knowledge_cutoff'], 'knowledge_cutoff'),
    expiresAt: read.end(fields['expiration_date'], 'expiration_date'),
  };
  return { document, odd };
}

type Fields = Readonly<Record<string, unknown>>;

function readPrices(said: Fields, odd: string[]) {
  const pricing: Record<string, string | null> = {};
  const perMillionTokens: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(said)) {
    const text = priceText(value);
    const derived = text === null || text === DYNAMIC_PRICE ? null : perMillion(text);
    if (text !== DYNAMIC_PRICE && derived === null) odd.push(`pricing.${name} is no price`);
    pricing[camelCase(name)] = text;
    if (TOKEN_PRICES.has(name)) perMillionTokens[camelCase(name)] = derived;
  }
  return { pricing, perMillionTokens };
}

/** Prices are texts; a number is taken by the text that JSON gives it. */
function priceText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : null;
}

function otherFields(fields: ImportedRow['fields']): Record<string, unknown> {
  const others = Object.entries(fields).filter(([name]) => !READ.has(name));
  return Object.fromEntries(others.map(([name, value]) => [camelCase(name), value]));
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

const ISO_TIME = /^(?:[+-]\d\d)?\d{4}-\d\d(?:-\d\d)?(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** Unix time in milliseconds, NaN where it is none. Date.parse would read a time without a zone by that of the machine. */
function utcTime(text: string): number {
  const [all, clock, zone] = ISO_TIME.exec(text) ?? [];
  if (all === undefined) return NaN;
  return Date.parse(clock !== undefined && zone === undefined ? `${all}Z` : all);
}

/** Reads what may be absent or null; what is there and of another kind is odd. */
function reader(odd: string[]) {
  const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;
  const otherwise = <T>(value: unknown, name: string, what: string, none: T): T => {
    if (!isAbsent(value)) odd.push(`${name} is no ${what}`);
    return none;
  };
  const instant = (ms: number): string | null =>
    Number.isFinite(ms) && Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : null;

  function texts(value: unknown, name: string): string[] {
    if (!Array.isArray(value)) return otherwise(value, name, 'list', []);
    const kept = value.filter((one): one is string => typeof one === 'string');
    if (kept.length < value.length) odd.push(`${name} holds what is no text`);
    return kept;
  }
  return {
    texts,
    text: (value: unknown, name: string): string | null =>
      typeof value === 'string' ? value : otherwise(value, name, 'text', null),
    count: (value: unknown, name: string): number | null =>
      typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
        ? value
        : otherwise(value, name, 'count', null),
    seconds: (value: unknown, name: string): string | null =>
      (typeof value === 'number' ? instant(value * 1_000) : null) ?? otherwise(value, name, 'time', null),
    end(value: unknown, name: string): string | null {
      const at = typeof value === 'string' ? instant(utcTime(value)) : null;
      if (at === null) return otherwise(value, name, 'date', null);
      return Number(at.slice(0, 4)) >= SENTINEL_YEAR || !/^\d/.test(at) ? null : at;
    },
    /** A missing architecture is odd, since nothing else says what a model takes. */
    object(value: unknown, name: string): Fields {
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
      odd.push(isAbsent(value) ? `${name} is missing` : `${name} is no object`);
      return {};
    },
    /** Older rows say it in short alone: `text+image->text`. */
    modalities: (architecture: Fields, name: string, inShort: string | undefined): string[] =>
      isAbsent(architecture[name]) && inShort !== undefined
        ? inShort.split('+').filter((one) => one !== '')
        : texts(architecture[name], `architecture.${name}`),
  };
}
