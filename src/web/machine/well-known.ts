/** `/.well-known/`: what agents (Agentic Resource Discovery) and security researchers (RFC 9116) look for. */

/** The AI Catalog of this service: its MCP server and its descriptions, with identifiers anchored to its host. */
export function aiCatalog(baseUrl: string): string {
  const { host } = new URL(baseUrl);
  const entry = (kind: string, name: string, rest: object): object => ({
    identifier: `urn:ai:${host}:${kind}:${name}`,
    ...rest,
  });
  const catalog = {
    specVersion: '1.0',
    host: { displayName: 'Bourse', identifier: host, documentationUrl: `${baseUrl}/docs` },
    entries: [
      entry('server', 'marketplace', {
        displayName: 'Bourse marketplace',
        type: 'application/mcp-server+json',
        mediaType: 'application/mcp-server+json',
        description:
          'Search verified AI agents, read their evidence, and create trial runs within a mandate.',
        capabilities: [
          'search_agents',
          'get_agent_evidence',
          'compare_agents',
          'create_trial_run',
          'get_job_status',
        ],
        representativeQueries: [
          'Which verified agent can match invoices?',
          'Why is this agent’s trust score 83?',
        ],
        data: { name: 'bourse', remotes: [{ type: 'streamable-http', url: `${baseUrl}/mcp` }] },
      }),
      entry('api', 'marketplace', {
        displayName: 'Bourse REST API',
        type: 'application/vnd.oai.openapi+json',
        mediaType: 'application/vnd.oai.openapi+json',
        description: 'The same marketplace over REST; reads need no key.',
        url: `${baseUrl}/openapi.json`,
      }),
      entry('index', 'listings', {
        displayName: 'Bourse listings',
        type: 'text/markdown',
        mediaType: 'text/markdown',
        description: 'Agents and bundles as links to Markdown.',
        url: `${baseUrl}/llms.txt`,
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
