/**
 * A tool is an operation told to a model. Name, hints and schemas follow from the operation; title and description are
 * written for the reader who decides whether to call it. All of it is worked out once, at start.
 */
import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { type OperationInfo, route, type Route } from '../http/route.ts';
import { type Accepted, type Operation, StoredJson } from '../operations/operation.ts';
import type { Params } from './json-rpc.ts';
import { argumentReader, type ReadArguments } from './tool-arguments.ts';
import { inputSchemaOf, outputSchemaOf } from './tool-schemas.ts';

export interface Tool {
  readonly name: string;
  readonly operation: OperationInfo;
  readonly invoke: Route['invoke'];
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
}

const idempotencyKeyField = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
  .meta({
    description:
      'Your own name for this one purchase, such as a UUID. Reuse it, with the same arguments, whenever you retry: ' +
      'the trial is then created and paid for once. Choose a new one only for another trial.',
    example: '6f1c2a54-0b7e-4a58-9d0f-1f7f1b7d2c11',
  });

export function tool<Input, Output>(operation: Operation<Input, Output>, text: ToolText): Tool {
  const { operation: info, invoke } = route('POST', '/mcp', operation);
  const input =
    info.kind === 'command' ? info.input.extend({ idempotencyKey: idempotencyKeyField }) : info.input;
  const { name, title, rows } = text;
  return {
    name,
    operation: info,
    invoke,
    read: argumentReader(input),
    fields: Object.keys(input.shape),
    listed: {
      name,
      title,
      description: `${text.description}\n${refusalsText(info)}`,
      inputSchema: inputSchemaOf(input),
      outputSchema: outputSchemaOf(outputOf(info, rows)),
      annotations: hintsOf(info, title, text.openWorld === true),
    },
    show: rows === undefined ? ({ data }) => jsonOf(data) : (accepted) => showRows(rows, accepted),
  };
}

function hintsOf({ kind }: OperationInfo, title: string, openWorldHint: boolean): ListedTool['annotations'] {
  const readOnlyHint = kind === 'query';
  // Commands need an idempotencyKey, and none of ours takes away what was there.
  return { title, readOnlyHint, destructiveHint: false, idempotentHint: true, openWorldHint };
}

function outputOf({ name, output, meta }: OperationInfo, rows: string | undefined): z.ZodType {
  if (rows === undefined) return output;
  if (!(meta instanceof z.ZodObject)) throw new Error(`${name} lists rows without saying how many`);
  return z.strictObject({ [rows]: output.meta({ description: 'The rows of this page.' }), ...meta.shape });
}

function showRows(rows: string, { data, meta }: Accepted<unknown>): string {
  return `{${JSON.stringify(rows)}:${jsonOf(data)},${JSON.stringify(meta).slice(1)}`;
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
