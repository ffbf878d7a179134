/**
 * What is to be known of the MCP server before connecting: its Server Card, which the AI Catalog points to, and the
 * `server.json` with which an operator enters this instance into an MCP registry. Neither lists tools: those are asked
 * for once connected.
 */
import { HANDSHAKE_REVISIONS, STATELESS_REVISIONS } from './revisions.ts';
import { VERSION } from '../settings/version.ts';

const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';
const REGISTRY_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

export function serverCard(baseUrl: string): string {
  const supportedProtocolVersions = [...STATELESS_REVISIONS, ...HANDSHAKE_REVISIONS];
  return jsonText({
    $schema: CARD_SCHEMA,
    ...identityOf(baseUrl),
    remotes: [{ ...remoteOf(baseUrl), supportedProtocolVersions }],
  });
}

export function registryEntry(baseUrl: string): string {
  return jsonText({ $schema: REGISTRY_SCHEMA, ...identityOf(baseUrl), remotes: [remoteOf(baseUrl)] });
}

/** Named by the host in reverse, as both formats ask: `org.example/bourse`. */
function identityOf(baseUrl: string): object {
  const { hostname } = new URL(baseUrl);
  // Both formats allow no colon and no bracket in it: the host of an instance on an address of IPv6.
  const namespace = hostname
    .replaceAll(/[^a-zA-Z0-9.-]/g, '-')
    .split('.')
    .reverse()
    .join('.');
  return {
    name: `${namespace}/bourse`,
    title: 'Bourse, a marketplace for AI agents',
    description: 'Find AI agents, read the evidence of their trust scores, and hire them within a mandate.',
    version: VERSION,
    websiteUrl: baseUrl,
  };
}

function remoteOf(baseUrl: string): object {
  return {
    type: 'streamable-http',
    url: `${baseUrl}/mcp`,
    headers: [
      {
        name: 'Authorization',
        description: 'Bearer and an API key: for jobs, trials and the mandate; searching needs none.',
        placeholder: 'Bearer <key>',
        isRequired: false,
        isSecret: true,
      },
    ],
  };
}

function jsonText(document: object): string {
  return JSON.stringify(document, null, 2);
}
