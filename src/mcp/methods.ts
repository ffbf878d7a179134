/** Every method of MCP that is answered here, and how its answer is put into words for each revision. */
import type { CallingParts } from '../calling/call-operation.ts';
import type { CallerContext } from '../calling/caller.ts';
import type { Services } from '../operations/services.ts';
import type { Refusal } from '../operations/refusals.ts';
import { type Answer, failure, isOfBadKey, refusedFailure, type Result, result } from './answer.ts';
import { callTool } from './call-tool.ts';
import { type Introduction, introductionOf } from './introduction.ts';
import {
  errorText,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  type Request,
  type RequestId,
  resultText,
} from './json-rpc.ts';
import { getPrompt, prompts } from './prompts.ts';
import { readResource, resources, resourceTemplates } from './resources.ts';
import {
  type ProtocolGeneration,
  HANDSHAKE_REVISIONS,
  NEWEST_HANDSHAKE_REVISION,
  STATELESS_REVISIONS,
} from './revisions.ts';
import type { Tool } from './tool.ts';
import { refusedResult } from './tool-refusals.ts';
import { tools as allTools } from './tools.ts';
import { renderResult } from './render-result.ts';

/** What is worked out once, at start. Nothing in it ever changes, so that requests share nothing but facts. */
export interface Mcp extends CallingParts {
  readonly introduction: Introduction;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly toolList: Result;
}

type Method = (
  mcp: Mcp,
  request: Request,
  generation: ProtocolGeneration,
  caller: CallerContext,
) => Answer | Promise<Answer>;

/** Lists change with a release only. */
const LIST_TTL_MS = 300_000;

export function createMcp(
  services: Services,
  log: CallingParts['log'],
  tools: readonly Tool[] = allTools,
): Mcp {
  return {
    services,
    log,
    introduction: introductionOf(services.baseUrl),
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    toolList: list(
      'tools',
      tools.map(({ listed }) => listed),
    ),
  };
}

const BOTH: Readonly<Record<string, Method>> = {
  'tools/list': ({ toolList }, request) => onlyPage(request, toolList),
  'tools/call': ({ tools, ...mcp }, { params }, _era, caller) => {
    const { name } = params;
    const tool = typeof name === 'string' ? tools.get(name) : undefined;
    if (tool) return callTool(tool, params['arguments'] ?? {}, caller, mcp);
    return failure(
      INVALID_PARAMS,
      `Unknown tool: ${String(name).slice(0, 80)}; there are ${[...tools.keys()].join(', ')}`,
    );
  },
  'resources/list': (_mcp, request) => onlyPage(request, RESOURCE_LIST),
  'resources/templates/list': (_mcp, request) => onlyPage(request, TEMPLATE_LIST),
  'resources/read': (mcp, { params }, generation, caller) =>
    readResource(params['uri'], generation, caller, mcp),
  'prompts/list': (_mcp, request) => onlyPage(request, PROMPT_LIST),
  'prompts/get': (_mcp, { params }) => getPrompt(params['name'], params['arguments']),
};

const METHODS: Readonly<Record<ProtocolGeneration, ReadonlyMap<string, Method>>> = {
  handshake: new Map(
    Object.entries({
      ...BOTH,
      initialize: (mcp: Mcp, { params }: Request) => initialize(mcp, params['protocolVersion']),
      ping: () => result({}),
    }),
  ),
  stateless: new Map(
    Object.entries({
      ...BOTH,
      'server/discover': ({ introduction: { capabilities, instructions } }: Mcp) =>
        result(
          { supportedVersions: STATELESS_REVISIONS, capabilities, instructions },
          { ttlMs: LIST_TTL_MS },
        ),
    }),
  ),
};

const RESOURCE_LIST = list('resources', resources);
const TEMPLATE_LIST = list('resourceTemplates', resourceTemplates);
const PROMPT_LIST = list('prompts', prompts);

export async function answerRequest(
  mcp: Mcp,
  request: Request,
  generation: ProtocolGeneration,
  caller: CallerContext,
): Promise<Answer> {
  const method = METHODS[generation].get(request.method);
  if (method) return method(mcp, request, generation, caller);
  return failure(METHOD_NOT_FOUND, `Method not found: ${request.method.slice(0, 80)}`);
}

/** What a request is told whose key is not good, or that is one too many: a model reads results, everybody else errors. */
export function refuseRequest({ method }: Request, refusal: Refusal, { requestId }: CallerContext): Answer {
  if (isOfBadKey(refusal)) return { kind: 'challenge', refusal, requestId };
  if (method !== 'tools/call') return refusedFailure(refusal);
  return { kind: 'result', json: refusedResult(refusal, requestId), refused: refusal.code };
}

/** A name for the log: of a bounded number of things, whatever clients send. */
export function operationOf(
  { tools }: Mcp,
  { method, params }: Request,
  generation: ProtocolGeneration,
): string {
  if (!METHODS[generation].has(method)) return 'mcp unknownMethod';
  if (method !== 'tools/call') return `mcp ${method}`;
  const { name } = params;
  return `mcp ${method} ${typeof name === 'string' && tools.has(name) ? name : 'unknownTool'}`;
}

/** The answer as a JSON-RPC message. Where no HTTP status can ask for a key, the model is told to. */
export function renderAnswer(
  mcp: Mcp,
  id: RequestId,
  answer: Answer,
  generation: ProtocolGeneration,
): string {
  if (answer.kind === 'failure') return errorText(id, answer.error);
  const { serverInfo } = mcp.introduction;
  if (answer.kind === 'result') return resultText(id, renderResult(answer, generation, serverInfo));
  const rendered: Result = { kind: 'result', json: refusedResult(answer.refusal, answer.requestId) };
  return resultText(id, renderResult(rendered, generation, serverInfo));
}

function initialize({ introduction }: Mcp, wanted: unknown): Answer {
  if (typeof wanted !== 'string') return failure(INVALID_PARAMS, 'params.protocolVersion must be a string');
  const protocolVersion = HANDSHAKE_REVISIONS.includes(wanted) ? wanted : NEWEST_HANDSHAKE_REVISION;
  return result({ protocolVersion, ...introduction });
}

function list(member: string, entries: readonly object[]): Result {
  return result({ [member]: entries }, { ttlMs: LIST_TTL_MS });
}

/** Our lists are one page long, so that no cursor is ever given out. */
function onlyPage({ params }: Request, page: Result): Answer {
  return params['cursor'] === undefined || params['cursor'] === null
    ? page
    : failure(INVALID_PARAMS, 'There is no page at this cursor');
}
