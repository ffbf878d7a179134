/** What clients may attach to a conversation by address: documents of the directory as REST answers them. */
import type { Resource, ResourceTemplate } from '@modelcontextprotocol/sdk/types.js';
import { callable } from '../calling/callable.ts';
import { type CallingParts, callOperation } from '../calling/call-operation.ts';
import type { CallRequest } from '../calling/call-request.ts';
import type { CallerContext } from '../calling/caller.ts';
import { type Operation, StoredJson } from '../operations/operation.ts';
import { getAgent } from '../operations/directory/get-agent.ts';
import { getBundle } from '../operations/directory/get-bundle.ts';
import { getMethodology } from '../operations/directory/get-methodology.ts';
import { type Answer, failure, type Failure, refusedFailure } from './answer.ts';
import { COUNTED_WITH_ITS_MESSAGE } from './call-tool.ts';
import { INVALID_PARAMS, RESOURCE_NOT_FOUND } from './json-rpc.ts';
import type { ProtocolGeneration } from './revisions.ts';

const MIME_TYPE = 'application/json';
/** The longest slug fits; anything longer names nothing. */
const MAX_URI_LENGTH = 200;

export const resources: readonly Resource[] = [
  {
    uri: 'bourse://methodology',
    name: 'methodology',
    title: 'Verification methodology',
    description:
      'The current rules of verification: checks, weights, tiers, and how a trust score is computed.',
    mimeType: MIME_TYPE,
  },
];

export const resourceTemplates: readonly ResourceTemplate[] = [
  {
    uriTemplate: 'bourse://agents/{slug}',
    name: 'agent',
    title: 'Agent',
    description: 'One agent’s listing, with its verification in short and the outcomes of its jobs.',
    mimeType: MIME_TYPE,
  },
  {
    uriTemplate: 'bourse://bundles/{slug}/manifest',
    name: 'bundle-manifest',
    title: 'Bundle manifest',
    description: 'One skill bundle with the path, size and SHA-256 of each of its files.',
    mimeType: MIME_TYPE,
  },
];

const READERS = [
  reader(/^bourse:\/\/methodology$/, getMethodology),
  reader(/^bourse:\/\/agents\/(?<slug>[^/?#]+)$/, getAgent),
  reader(/^bourse:\/\/bundles\/(?<slug>[^/?#]+)\/manifest$/, getBundle),
];

export async function readResource(
  uri: unknown,
  generation: ProtocolGeneration,
  caller: CallerContext,
  parts: CallingParts,
): Promise<Answer> {
  if (typeof uri !== 'string') return failure(INVALID_PARAMS, 'params.uri must be a string');
  const found = uri.length > MAX_URI_LENGTH ? undefined : READERS.find(({ pattern }) => pattern.test(uri));
  if (found === undefined) return notFound(uri, generation);
  const value = { ...found.pattern.exec(uri)?.groups };
  const request: CallRequest = {
    ...COUNTED_WITH_ITS_MESSAGE,
    read: () => ({ ok: true, value, fieldErrors: [] }),
    // A slug that is not even well formed names nothing that exists.
    refuseInput: () => ({ code: 'not_found', message: 'There is no such resource' }),
  };
  const outcome = await callOperation(found, request, caller, parts);
  if (!outcome.ok)
    return outcome.refusal.code === 'not_found' ? notFound(uri, generation) : refusedFailure(outcome.refusal);
  const { data } = outcome;
  const text = data instanceof StoredJson ? data.text : JSON.stringify(data);
  const json = JSON.stringify({ contents: [{ uri, mimeType: MIME_TYPE, text }] });
  return { kind: 'result', json, ttlMs: (found.operation.cacheSeconds ?? 0) * 1_000 };
}

function reader<Input, Output>(pattern: RegExp, read: Operation<Input, Output>) {
  return { pattern, ...callable(read) };
}

/** 2026-07-28 has no code of its own for this any more. */
function notFound(uri: string, generation: ProtocolGeneration): Failure {
  const code = generation === 'handshake' ? RESOURCE_NOT_FOUND : INVALID_PARAMS;
  return failure(code, 'There is no such resource', { uri: uri.slice(0, MAX_URI_LENGTH) });
}
