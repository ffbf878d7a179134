/** RFC 9728: what a client that was answered 401 can find out about the keys that are taken here. */
import { beginExchange, type Edge, type Handler } from '../http/exchange.ts';
import { PUBLIC_HEADERS } from '../http/header-blocks.ts';
import { sendText } from '../http/send.ts';
import type { Tool } from './tool.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const CACHING = { cacheControl: 'public, max-age=3600', tag: 'always' } as const;
/** For clients that follow the header, and for those that look at the root. */
export const METADATA_PATHS = [`${WELL_KNOWN}/mcp`, WELL_KNOWN];

export function resourceMetadataUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(`${baseUrl}/mcp`);
  return `${origin}${WELL_KNOWN}${pathname}`;
}

/** Without `authorization_servers`: keys are made by people in the dashboard, not handed out by OAuth. */
export function createMetadataHandler(edge: Edge, path: string, tools: Iterable<Tool>): Handler {
  const { baseUrl } = edge.services;
  const scopes = [...tools]
    .map(({ operation }) => operation.scope)
    .filter((scope) => scope !== null && scope !== 'any_key');
  const body = JSON.stringify({
    resource: `${baseUrl}/mcp`,
    resource_name: 'Bourse',
    scopes_supported: [...new Set(scopes)],
    bearer_methods_supported: ['header'],
    resource_documentation: `${baseUrl}/docs`,
  });
  return (req, res) => {
    const exchange = beginExchange(edge, req, res, 'mcp resourceMetadata', path, PUBLIC_HEADERS);
    sendText(exchange, body, CACHING);
  };
}
