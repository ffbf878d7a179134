/** How long the answers of the REST API may be kept. */
import type { Route } from './route.ts';
import type { Caching } from './send.ts';

export function cachingOf({ method, operation, isPublicRead }: Route): Caching {
  if (isPublicRead) return { cacheControl: `public, max-age=${operation.cacheSeconds ?? 0}`, tag: 'always' };
  return { cacheControl: 'private, no-cache', tag: method === 'GET' ? 'with-revision' : 'never' };
}
