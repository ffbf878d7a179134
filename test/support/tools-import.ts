import type { ImportRequest } from '../../src/importing/import-rows.ts';

/** Of JSON lines into the tools, as `bourse import --complete` takes them. */
export function toolsImport(
  bytes: AsyncIterable<Uint8Array>,
  { mayRetireMany, requestId }: { readonly mayRetireMany: boolean; readonly requestId: string },
): ImportRequest {
  return {
    dataset: 'tools',
    bytes,
    format: 'jsonl',
    source: { kind: 'file', name: 'rows.jsonl' },
    attribution: null,
    isComplete: true,
    mayRetireMany,
    dryRun: false,
    cause: { at: new Date().toISOString(), actor: 'cli', requestId },
  };
}
