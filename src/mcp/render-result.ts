/** Results in the words of each revision. */
import type { Implementation } from '@modelcontextprotocol/sdk/types.js';
import type { Result } from './answer.ts';
import { type ProtocolGeneration, META } from './revisions.ts';

/**
 * The result as JSON. Since 2026-07-28 it says what kind of result it is, how long it may be kept, and who answers.
 * @param serverInfo who answers, where that is known
 */
export function renderResult(
  { json, meta, ttlMs }: Pick<Result, 'json' | 'meta' | 'ttlMs'>,
  generation: ProtocolGeneration,
  serverInfo?: Implementation,
): string {
  if (generation === 'handshake') return meta === undefined ? json : extended(json, { _meta: meta });
  return extended(json, {
    resultType: 'complete',
    ...(ttlMs === undefined ? {} : { ttlMs, cacheScope: 'public' }),
    _meta: { ...meta, ...(serverInfo === undefined ? {} : { [META.serverInfo]: serverInfo }) },
  });
}

function extended(json: string, more: object): string {
  const start = json === '{}' ? '{' : `${json.slice(0, -1)},`;
  return start + JSON.stringify(more).slice(1);
}
