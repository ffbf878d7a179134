/**
 * A tool is an operation told to a model. Name, hints and schemas follow from the operation; title and description are
 * written for the reader who decides whether to call it. All of it is worked out once, at start.
 */
import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { type Callable, callable, type OperationInfo } from '../calling/callable.ts';
import { KEY_FORM, MALFORMED_KEY } from '../calling/idempotency.ts';
import { type Accepted, type Operation, StoredJson } from '../operations/operation.ts';
import type { Params } from './json-rpc.ts';
import { argumentReader, type ReadArguments } from './tool-arguments.ts';
import { inputSchemaOf, outputSchemaOf } from './tool-schemas.ts';

export interface Tool extends Callable {
  readonly name: string;
  /** Whether it may be called without an idempotencyKey. */
  readonly isRepeatable: boolean;
  /** The arguments as REST takes them. */
  readonly read: (args: Params) => ReadArguments;
  /** The names of its arguments. */
  readonly fields: readonly string[];
  /** Its entry in tools/list. */
  readonly listed: ListedTool;
  /** The structured content for an outcome, as JSON. */
  readonly show: (accepted: Accepted<unknown>) => string;
}

export interface ToolText {
  readonly name: string;
  readonly title: string;
  /** When to use it and what comes back; the codes of its refusals are added. */
  readonly description: string;
  /** For lists, which are no objects: the member of the result that holds the rows. */
  readonly rows?: string;
  /** Whether it reaches beyond this service: an agency's people and agents set to work. */
  readonly openWorld?: boolean;
  /** Whether it ends something that was there. */
  readonly destructive?: boolean;
  /** For commands that end where they are whether they come once or twice: their idempotencyKey may be left out. */
  readonly repeatable?: boolean;
}

const keyText = z.string().regex(KEY_FORM, MALFORMED_KEY);
const exampleKey = '6f1c2a54-0b7e-4a58-9d0f-1f7f1b7d2c11';

const demandedKey = keyText.meta({
  description:
    'Your own name for this one purchase, such as a UUID. Reuse it, with the same arguments, whenever you retry: ' +
    'the trial is then created and paid for once. Choose a new one only for another trial.',
  example: exampleKey,
});
const optionalKey = keyText.optional().meta({
  description:
    'Your own name for this one call, such as a UUID: repeated, it is answered as it was the first time.',
  example: exampleKey,
});

export function tool<Input, Output>(operation: Operation<Input, Output>, text: ToolText): Tool {
  const called = callable(operation);
  const info = called.operation;
  const keyField = { idempotencyKey: text.repeatable === true ? optionalKey : demandedKey };
  const own = info.alsoAsCsv === true ? info.input.omit({ format: true }) : info.input;
  const input = info.kind === 'command' ? own.extend(keyField) : own;
  const { name, title, rows } = text;
  return {
    ...called,
    name,
    isRepeatable: info.kind === 'query' || text.repeatable === true,
    read: info.alsoAsCsv === true ? jsonAlone(argumentReader(input)) : argumentReader(input),
    fields: Object.keys(input.shape),
    listed: {
      name,
      title,
      description: `${text.description}\n${refusalsText(info)}`,
      inputSchema: inputSchemaOf(input),
      outputSchema: outputSchemaOf(outputOf(info, rows)),
      annotations: hintsOf(info, text),
    },
    show: rows === undefined ? ({ data }) => jsonOf(data) : (accepted) => showRows(rows, accepted),
  };
}

/** `json` may be said: tools had the argument before there was another form. */
function jsonAlone(read: Tool['read']): Tool['read'] {
  return ({ format = 'json', ...args }) => {
    const found = read(args);
    if (format === null || format === '' || format === 'json') return found;
    const fault = { path: 'format', message: 'must be left out: a tool gives its rows as JSON' };
    return { ...found, fieldErrors: [fault, ...found.fieldErrors] };
  };
}

function hintsOf(
  { kind }: OperationInfo,
  { title, openWorld = false, destructive = false }: ToolText,
): ListedTool['annotations'] {
  const readOnlyHint = kind === 'query';
  // What is not harmless to repeat needs an idempotencyKey.
  return {
    title,
    readOnlyHint,
    destructiveHint: destructive,
    idempotentHint: true,
    openWorldHint: openWorld,
  };
}

function outputOf({ output, meta }: OperationInfo, rows: string | undefined): z.ZodType {
  if (rows === undefined) return output;
  const more = meta instanceof z.ZodObject ? meta.shape : {};
  return z.strictObject({ [rows]: output.meta({ description: 'The rows of this page.' }), ...more });
}

function showRows(rows: string, { data, meta = {} }: Accepted<unknown>): string {
  const more = JSON.stringify(meta).slice(1);
  return `{${JSON.stringify(rows)}:${jsonOf(data)}${more === '}' ? '' : ','}${more}`;
}

function jsonOf(data: unknown): string {
  return data instanceof StoredJson ? data.text : JSON.stringify(data);
}

function refusalsText({ refusals, scope }: OperationInfo): string {
  const always =
    scope === null ? (['invalid_request', 'rate_limited'] as const) : (['invalid_request'] as const);
  const codes = [...new Set([...always, ...refusals])].join(', ');
  return `With isError the text begins with a code (${codes}) and says what to do next.`;
}
