/**
 * Before Express: what is asked for all the time is answered by the same handlers without Express's bill, which is four
 * times theirs. Whatever it does not know for sure goes on to Express.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '../transport/endpoint.ts';
import type { Handler } from '../transport/exchange.ts';

/** Answers the request and says so, or leaves it alone. */
export type FastPath = (req: IncomingMessage, res: ServerResponse) => boolean;

interface Parametric {
  readonly parameter: string;
  readonly handle: Handler;
}

export function createFastPath(endpoints: readonly Endpoint[]): FastPath {
  const exact = new Map<string, Handler>();
  /** Paths on it without parameter, which take any method here. */
  const fastExact = new Map<string, Handler>();
  /** By what stands before the last slash; an exact address goes first, as in the route table. */
  const byPrefix = new Map<string, Parametric>();
  /** By what stands before their parameter, the slash included; looked at last. */
  const wildcards: (Parametric & { readonly prefix: string })[] = [];
  for (const { path, fastPath, wildcard, handle } of endpoints) {
    const shape = /^(?<prefix>[^{}]*)\/\{(?<parameter>\w+)\}$/.exec(path)?.groups;
    if (shape?.['prefix'] !== undefined && shape['parameter'] !== undefined) {
      const { prefix, parameter } = shape;
      if (fastPath && wildcard === true) wildcards.push({ prefix: `${prefix}/`, parameter, handle });
      else if (fastPath) byPrefix.set(prefix, { parameter, handle });
    } else if (!path.includes('{')) {
      exact.set(path, handle);
      if (fastPath) fastExact.set(path, handle);
    } else if (fastPath)
      throw new Error(`${path} cannot be on the fast path: only its last segment may be a parameter`);
  }
  return (req, res) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const url = req.url ?? '';
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const known = isRead ? exact.get(path) : fastExact.get(path);
    if (known) {
      known(req, res, {});
      return true;
    }
    if (!isRead || path.includes('%')) return false;
    const slash = path.lastIndexOf('/');
    const single = byPrefix.get(path.slice(0, slash));
    const wildcard =
      single === undefined ? wildcards.find(({ prefix }) => path.startsWith(prefix)) : undefined;
    const found = single ?? wildcard;
    const value = path.slice(wildcard?.prefix.length ?? slash + 1);
    if (!found || value === '') return false;
    found.handle(req, res, { [found.parameter]: value });
    return true;
  };
}
