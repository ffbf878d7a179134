/** How long answers may be kept. */
import type { Route } from './route.ts';

/** Reads with a tag can be asked for again cheaply; everything else is for now alone. */
export interface Caching {
  readonly cacheControl: string;
  readonly tag: 'always' | 'with-revision' | 'never';
}

export function cachingOf({ method, operation, isPublicRead }: Route): Caching {
  if (isPublicRead) return { cacheControl: `public, max-age=${operation.cacheSeconds ?? 0}`, tag: 'always' };
  return { cacheControl: 'private, no-cache', tag: method === 'GET' ? 'with-revision' : 'never' };
}
