/** How long answers may be kept. */
import type { OperationInfo } from './route.ts';

/** Reads with a tag can be asked for again cheaply; everything else is for now alone. */
export interface Caching {
  readonly cacheControl: string;
  readonly tag: 'always' | 'with-revision' | 'never';
}

export function cachingOf(operation: OperationInfo): Caching {
  if (isPublicRead(operation)) {
    return { cacheControl: `public, max-age=${operation.cacheSeconds ?? 0}`, tag: 'always' };
  }
  return { cacheControl: 'private, no-cache', tag: operation.kind === 'query' ? 'with-revision' : 'never' };
}

export function isPublicRead(operation: OperationInfo): boolean {
  return operation.scope === null && operation.kind === 'query';
}
