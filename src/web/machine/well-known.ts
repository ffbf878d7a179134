/** `/.well-known/`: what agents (Agentic Resource Discovery) and security researchers (RFC 9116) look for. */

export const SERVER_CARD_TYPE = 'application/mcp-server-card+json';

/** The AI Catalog of this service: its MCP server, its API and its listings, named by its host. */
export function aiCatalog(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  const entry = (namespace: string, type: string, path: string, more: object = {}): object => ({
    identifier: `urn:air:${hostname}:${namespace}:bourse`,
    type,
    url: baseUrl + path,
    ...more,
  });
  const catalog = {
    specVersion: '1.0',
    host: { displayName: 'Bourse', identifier: hostname, documentationUrl: `${baseUrl}/docs` },
    // What a card says of itself is not said again.
    entries: [
      entry('mcp', SERVER_CARD_TYPE, '/mcp/server-card', { tags: ['agents', 'marketplace'] }),
      entry('api', 'application/vnd.oai.openapi+json', '/openapi.json', {
        displayName: 'Bourse REST API',
        description: 'The same marketplace over REST; reads need no key.',
      }),
      entry('listings', 'text/plain', '/llms.txt', {
        displayName: 'Bourse listings',
        description: 'Agents and bundles as links to Markdown.',
      }),
    ],
  };
  return JSON.stringify(catalog, null, 2);
}

const VALID_MS = 180 * 24 * 60 * 60 * 1_000;

/** `contact` is an address of mail or web; the file is valid for half a year from when it is read. */
export function securityText(baseUrl: string, contact: string, nowMs: number): string {
  const midnight = new Date(nowMs + VALID_MS).toISOString().slice(0, 10);
  return [
    `Contact: ${contact}`,
    `Expires: ${midnight}T00:00:00.000Z`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    '',
  ].join('\n');
}
