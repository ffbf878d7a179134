/** The real service with a seeded market, and the SDK's own client before it, as strict about answers as it can be. */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { seedMarket } from '../../src/seeding/seed-market.ts';
import { type ApiOptions, startApi, type TestApi } from '../support/api.ts';

export interface McpApi extends TestApi {
  readonly mcpUrl: string;
  /** A client that has said hello; it brings the key, if one is given. */
  readonly connect: (key?: string) => Promise<Client>;
  /** A message as it stands, and what HTTP answers. */
  readonly rpc: (body: unknown, headers?: Record<string, string>) => Promise<WireAnswer>;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined when there is none. */
  readonly body: Wire;
}

/** What a test looks at in an answer; all of it may be absent. */
export interface Wire {
  readonly jsonrpc?: string;
  readonly id?: string | number | null;
  readonly result?: Readonly<Record<string, unknown>> & { readonly structuredContent?: Structured };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What tests look at in structured content. Which of it is there depends on the tool; the client has validated it. */
export interface Structured {
  readonly agents: readonly {
    readonly slug: string;
    readonly pricing: { readonly trialPriceCents: number };
  }[];
  readonly bundles: readonly { readonly slug: string }[];
  readonly agencies: readonly { readonly slug: string }[];
  readonly total: number;
  readonly nextCursor: string | null;
  readonly differing: readonly string[];
  readonly fields: readonly { readonly field: string; readonly values: readonly number[] }[];
  readonly checks: readonly {
    readonly id: string;
    readonly result: string;
    readonly toPass: string | null;
  }[];
  readonly id: string;
  readonly status: string;
  readonly fundingUrl: string;
  readonly jobs: readonly { readonly id: string }[];
  readonly artifacts: readonly { readonly name: string; readonly url: string }[];
  readonly allowed: boolean;
  readonly violations: readonly { readonly reason?: string }[];
  readonly remainingThisPeriodCents: number;
  readonly results: readonly {
    readonly id: string;
    readonly title: string;
    readonly url: string;
    readonly text: string;
  }[];
  readonly text: string;
}

export interface Refused {
  readonly code: string;
  readonly message: string;
  readonly requestId?: string;
  readonly reason?: string;
  readonly mandateState?: Readonly<Record<string, unknown>>;
  readonly details?: readonly { readonly path: string; readonly message: string }[];
  /** The first text: what happened and what to do. */
  readonly told: string;
}

/** The seeds are a whole history; on a busy machine they take their time. */
export const SEEDING_TIMEOUT_MS = 90_000;

export async function startMcp(options: ApiOptions = {}): Promise<McpApi> {
  const api = await startApi(options);
  await seedMarket(api.services, 'infra/seeds', new Date().toISOString());
  await api.services.projector.caughtUp();
  const mcpUrl = `${api.url}/mcp`;
  const open: Client[] = [];
  return {
    ...api,
    mcpUrl,
    async connect(key) {
      const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
      const client = await connected(
        new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit: { headers } }),
      );
      open.push(client);
      return client;
    },
    rpc: (body, headers) => rpc(mcpUrl, body, headers),
    async close() {
      await Promise.all(open.map((client) => client.close()));
      await api.close();
    },
  };
}

/** A client whose validator refuses schemas it does not fully understand, and answers that break them. */
export async function connected(transport: Transport): Promise<Client> {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv);
  const client = new Client(
    { name: 'bourse-tests', version: '1.0.0' },
    { jsonSchemaValidator: new AjvJsonSchemaValidator(ajv) },
  );
  await client.connect(transport);
  await client.listTools();
  return client;
}

export async function rpc(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<WireAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : {},
  };
}

type Called = Awaited<ReturnType<Client['callTool']>>;

/** The structured content of a call that must succeed, after checking that the text says the same. */
export async function data(client: Client, name: string, args: Record<string, unknown>): Promise<Structured> {
  const called = await client.callTool({ name, arguments: args });
  expect(called.isError, textOf(called)).to.not.equal(true);
  expect(JSON.parse(textOf(called))).to.deep.equal(called.structuredContent);
  // The client has held it to the tool's schema.
  return called.structuredContent as unknown as Structured;
}

/** The error of a call that must be refused, as it stands in the second text. */
export async function refusal(client: Client, name: string, args: Record<string, unknown>): Promise<Refused> {
  const called = await client.callTool({ name, arguments: args });
  expect(called.isError, textOf(called)).to.equal(true);
  expect(called).to.not.have.property('structuredContent');
  const [told = '', envelope] = textsOf(called);
  const { error } = JSON.parse(envelope ?? '');
  expect(told).to.match(new RegExp(`^${error.code}: .+\nWhat to do: .+`, 's'));
  return { ...error, told };
}

function textOf(called: Called): string {
  return textsOf(called)[0] ?? '';
}

function textsOf({ content }: Called): string[] {
  return Array.isArray(content) ? content.map((block: { text: string }) => block.text) : [];
}
